import { play, stop } from './player.js';
import {
  announce,
  framed,
  isUnmodified,
  preloadNeighbours,
  setHash,
  setRovingFocus,
  setSizes,
} from './slides.js';
import { Track } from './track.js';
import { Zoom } from './zoom.js';

function button(name, icon, label) {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = `round ${name}`;
  made.setAttribute('aria-label', label);
  made.innerHTML = `<svg aria-hidden="true"><use href="#i-${icon}"/></svg>`;
  return made;
}

/** The same slides on the whole screen, in a dialog of the platform. */
export function openViewer({ gallery, stage, track }) {
  if (document.querySelector('.viewer')) return;
  const { viewer: label, close, zoom: zoomLabel } = gallery.dataset;
  stop(stage);
  const before = document.activeElement;
  const dialog = document.createElement('dialog');
  dialog.className = 'viewer';
  dialog.setAttribute('aria-label', label);
  const list = stage.cloneNode(true);
  for (const slide of list.children) slide.removeAttribute('id');
  for (const image of list.querySelectorAll('[fetchpriority]'))
    image.removeAttribute('fetchpriority');
  setSizes(list, '100vw');
  const controls = gallery.querySelector('.controls').cloneNode(true);
  controls
    .querySelector('.full')
    ?.replaceWith(button('zoom', 'zoom', zoomLabel), button('full', 'close', close));
  dialog.append(list, controls);
  // Beside the gallery, so that it inherits the colours of the page.
  gallery.after(dialog);
  const links = [...list.children].map((slide) => slide.querySelector('a'));
  const inner = new Track(list, (n) => {
    const here = list.contains(document.activeElement);
    zoom.reset();
    stop(list);
    announce(dialog, gallery, n, links.length);
    setRovingFocus(links, n);
    if (here) links[n].focus({ preventScroll: true });
    setHash(n);
    preloadNeighbours(inner);
  });
  const zoom = new Zoom(list, () => inner.slides[inner.at]);
  // What is pressed inside of a player is the player's, Escape too, and nobody else hears of it. So
  // the focus stays before the player, one step of the Tab key away, and comes back from it with
  // the mouse.
  const aside = () => {
    inner.slides[inner.at].tabIndex = -1;
    inner.slides[inner.at].focus({ preventScroll: true });
  };
  dialog.addEventListener('pointermove', ({ target }) => {
    const { activeElement } = document;
    if (activeElement?.tagName === 'IFRAME' && target !== activeElement) aside();
  });
  dialog.addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (event.target.closest('.full')) dialog.close();
    else if (event.target.closest('.zoom')) zoom.toggle();
    else if (event.target.closest('.previous')) inner.go(inner.at - 1);
    else if (event.target.closest('.next')) inner.go(inner.at + 1);
    else if (link?.dataset.play) {
      event.preventDefault();
      play(link, gallery.dataset.allow);
      aside();
    } else if (link?.matches('.shot') && isUnmodified(event)) event.preventDefault();
  });
  dialog.addEventListener('keydown', (event) => {
    if (!zoom.key(event)) inner.key(event);
    event.stopPropagation();
  });
  const left = () => document.fullscreenElement || dialog.close();
  const back = () => history.state?.viewer || dialog.close();
  dialog.addEventListener('close', () => {
    document.removeEventListener('fullscreenchange', left);
    removeEventListener('popstate', back);
    if (document.fullscreenElement) document.exitFullscreen();
    track.go(inner.at, true);
    dialog.remove();
    // Where it was: the same button, or the picture that is now shown in place of the former.
    const home = before?.closest('.stage') ? track.slides[inner.at].querySelector('a') : before;
    home?.focus({ preventScroll: true });
    // Of a mosaic, only three are seen.
    if (document.activeElement !== home) before?.focus({ preventScroll: true });
    if (!history.state?.viewer) return;
    addEventListener('popstate', () => setHash(track.at), { once: true });
    history.back();
  });
  const show = () => {
    dialog.showModal();
    inner.go(track.at, true);
    setRovingFocus(links, inner.at);
    announce(dialog, gallery, inner.at, links.length);
    preloadNeighbours(inner);
    // Back closes the viewer and stays on the page. Its entry below names no picture: browsers would
    // give the focus to that one.
    if (!history.state?.viewer) {
      setHash(0);
      history.pushState({ ...history.state, viewer: true }, '');
      setHash(inner.at);
    }
    addEventListener('popstate', back);
  };
  // In a frame the dialog has only the frame; the screen is asked for, and may be refused. Not for
  // the dialog, which the platform forbids, and before it opens, because the later one is on top.
  const screen = framed && document.documentElement.requestFullscreen?.();
  if (!screen) return show();
  screen
    .then(() => document.addEventListener('fullscreenchange', left))
    .catch(() => {})
    .then(show);
}
