/** Whether nothing may glide. */
export const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

/** Whether the page is in a frame of another website. */
export const framed = window.parent !== window;

/** Whether an event is of a key or button alone: with others it is the browser's. */
export const isUnmodified = (event) =>
  !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);

/** One stop for the Tab key in a list of links; arrows do the rest. */
export function setRovingFocus(links, n) {
  links.forEach((link, index) => {
    link.tabIndex = index === n ? 0 : -1;
  });
}

/** How wide pictures are shown, wherever their sizes are listed. */
export function setSizes(root, sizes) {
  for (const node of root.querySelectorAll('source, img[srcset]')) node.sizes = sizes;
}

/** Says which slide is shown, of how many. */
export function announce(root, gallery, n, total) {
  const counter = root.querySelector('.counter');
  if (!counter) return;
  counter.textContent = gallery.dataset.position.replace('{n}', n + 1).replace('{total}', total);
}

/** The address names the picture that is shown. */
export function setHash(n) {
  if (framed) return;
  history.replaceState(history.state, '', n ? `#${n + 1}` : location.pathname + location.search);
}

/** Neighbours are fetched before they are asked for. */
export function preloadNeighbours({ slides, at }) {
  for (const slide of slides.slice(Math.max(0, at - 1), at + 3)) {
    const image = slide.querySelector('img');
    if (image) image.loading = 'eager';
  }
}
