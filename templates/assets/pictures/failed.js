/** Replaces a failed picture with a drawn car, and a text if there is space. */
export function noteFailures(root, words) {
  const failed = (image) => {
    if (image.hidden) return;
    image.hidden = true;
    image.insertAdjacentHTML(
      'afterend',
      '<span class="nopicture"><svg aria-hidden="true"><use href="#i-car"/></svg><span></span></span>',
    );
    image.nextSibling.lastChild.textContent = words;
  };
  // Events of pictures do not bubble.
  root.addEventListener('error', ({ target }) => target.tagName === 'IMG' && failed(target), true);
  for (const image of root.querySelectorAll('img[src]')) {
    // Requests it again, because a picture in a hidden frame also has the width 0.
    if (image.complete && !image.naturalWidth) image.src += '';
  }
}
