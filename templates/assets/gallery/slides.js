/** Whether animations are off. */
export const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

/** Whether the page is in a frame of another website. */
export const framed = window.parent !== window;

/** Whether no modifier key is pressed. Otherwise, the browser handles the event. */
export const isUnmodified = (event) =>
  !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);

/** Makes one link of a list reachable with the Tab key, for use with the arrow keys. -1: all of them. */
export function setRovingFocus(links, n) {
  links.forEach((link, index) => {
    link.tabIndex = n < 0 || index === n ? 0 : -1;
  });
}

/** Known before the picture has loaded. */
const ratioOf = (image) => image.getAttribute('width') / image.getAttribute('height');

/** Marks a picture as enlarged, so that it loads a larger file. */
export function setSizes(image, scale) {
  const wide = 100 * scale;
  const high = wide * ratioOf(image);
  for (const node of image.parentNode.children) node.sizes = `min(${wide}vw, ${high}vh)`;
}

/** Lets a picture grow from its earlier position `from`. If it was cropped there, it starts cropped. */
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

/** Sets the URL to the shown picture. */
export function setHash(n) {
  if (framed) return;
  history.replaceState(history.state, '', n ? `#${n + 1}` : location.pathname + location.search);
}

/** Loads neighbours in advance. */
export function preloadNeighbours({ slides, at }) {
  for (const slide of slides.slice(Math.max(0, at - 1), at + 3)) {
    const image = slide.querySelector('img');
    if (image) image.loading = 'eager';
  }
}
