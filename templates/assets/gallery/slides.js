/** Whether nothing may glide. */
export const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

/** Whether the page is in a frame of another website. */
export const framed = window.parent !== window;

/** Whether an event is of a key or button alone: with others it is the browser's. */
export const isUnmodified = (event) =>
  !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);

/** One stop for the Tab key in a list of links, arrows do the rest; -1: each is one. */
export function setRovingFocus(links, n) {
  links.forEach((link, index) => {
    link.tabIndex = n < 0 || index === n ? 0 : -1;
  });
}

/** Known before the picture is there. */
const ratioOf = (image) => image.getAttribute('width') / image.getAttribute('height');

/** A picture is so many times as large as the screen lets it be: the browser takes the file of that size. */
export function setSizes(image, scale) {
  const wide = 100 * scale;
  const high = wide * ratioOf(image);
  for (const node of image.parentNode.children) node.sizes = `min(${wide}vw, ${high}vh)`;
}

/** A picture grows out of the place `from` that it had; if it was cut to its shape, so it is at first. */
export function grow(image, from, isCut) {
  const to = image.getBoundingClientRect();
  if (reducedMotion.matches || !from.width) return;
  const wide = (fit, { width, height }) => fit(width, height * ratioOf(image));
  const scale = wide(isCut ? Math.max : Math.min, from) / wide(Math.min, to);
  const shift = (at, length) => `${from[at] - to[at] + (from[length] - to[length]) / 2}px`;
  const cut = (length) => `${(to[length] - from[length] / scale) / 2}px`;
  image.animate(
    {
      translate: [`${shift('x', 'width')} ${shift('y', 'height')}`, '0'],
      scale: [scale, 1],
      clipPath: [`inset(${cut('height')} ${cut('width')})`, 'inset(0)'],
    },
    { duration: 250, easing: 'ease-out' },
  );
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
