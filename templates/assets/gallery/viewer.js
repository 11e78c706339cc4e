import { stop } from './player.js';
import { framed, grow, preloadNeighbours, setHash, setSizes } from './slides.js';
import { zoomOf } from './zoom.js';

/**
 * The same stage in full screen, in a native dialog. It keeps the loaded files and all controls.
 */
export function viewerOf({ gallery, stage, strip, links, track, rove }) {
  const frame = stage.parentNode;
  const controls = frame.querySelector('.controls');
  let dialog;
  let zoom;
  let before;
  let screen;
  /** Resolves when the browser has left full screen. */
  let ending;

  function show() {
    if (dialog) return;
    before = document.activeElement;
    const img = links[track.at].querySelector('img');
    const from = img?.getBoundingClientRect();
    const isCut = img && getComputedStyle(img).objectFit === 'cover';
    dialog = document.createElement('dialog');
    dialog.className = 'viewer';
    dialog.ariaLabel = gallery.dataset.viewer;
    // Keeps the height of the page below.
    gallery.style.minHeight = `${gallery.offsetHeight}px`;
    dialog.append(stage, controls, strip ?? '');
    gallery.append(dialog);
    for (const img of stage.querySelectorAll('img')) {
      const { dataset } = img.closest('a');
      setSizes(img, 1);
      if (dataset.larger) img.parentNode.firstElementChild.srcset += `, ${dataset.larger}`;
      delete dataset.larger;
    }
    zoom = zoomOf({ dialog, stage, linkOf: () => links[track.at], leave });
    for (const type of ['cancel', 'close']) dialog.addEventListener(type, leave);
    dialog.addEventListener('pointermove', ({ target }) => {
      const { activeElement } = document;
      if (activeElement.matches('iframe') && target !== activeElement) aside();
    });
    dialog.showModal();
    dialog.querySelector('.close')?.focus();
    track.place(track.at, true);
    rove();
    if (from) grow(img, from, isCut);
    preloadNeighbours(track);
    // Back closes the viewer and stays on the page. The entry below it names no picture, because browsers
    // would focus that picture.
    if (history.state?.viewer) return;
    setHash(0);
    history.pushState({ ...history.state, viewer: true }, '');
    setHash(track.at);
  }

  function leave() {
    if (!dialog) return;
    zoom.reset();
    stop(stage);
    frame.append(stage, controls);
    frame.after(strip ?? '');
    dialog.remove();
    dialog = undefined;
    gallery.style.minHeight = '';
    if (document.fullscreenElement)
      ending = document
        .exitFullscreen()
        .catch(() => {})
        .then(() => {
          ending = undefined;
        });
    track.place(track.at, true);
    rove();
    // Restores the focus: on the same button, or on the current picture. In a mosaic, it may be invisible.
    for (const home of [before, links.includes(before) ? links[track.at] : before])
      home.focus({ preventScroll: true });
    if (history.state?.viewer) {
      addEventListener('popstate', () => setHash(track.at), { once: true });
      history.back();
    } else setHash(track.at);
  }

  function toggle() {
    if (dialog) return leave();
    stop(stage);
    // In a frame, the dialog fills only the frame, so this requests full screen. Websites and sandboxes may refuse it.
    // Dialogs cannot request it. It comes before the dialog opens, because the later one is on top.
    screen = false;
    const ask = () => document.documentElement.requestFullscreen?.();
    // Waits for the end of a previous full screen, which would also end the new one.
    const request = framed && document.fullscreenEnabled && (ending?.then(ask) ?? ask());
    if (!request) return show();
    request
      .then(() => {
        screen = true;
      })
      .catch(() => {})
      .then(show);
  }

  /**
   * A player receives all keys inside it, including Escape. So the focus stays one Tab key before the player,
   * and returns from it with the mouse.
   */
  function aside() {
    const slide = track.slides[track.at];
    slide.tabIndex = -1;
    slide.focus({ preventScroll: true });
  }

  /** Opens the viewer if the history entry has it: after a reload, or forward navigation. */
  const follow = () => {
    if (!history.state?.viewer === !dialog) return;
    toggle();
  };
  addEventListener('popstate', follow);
  document.addEventListener('fullscreenchange', () => {
    if (screen && !document.fullscreenElement) leave();
  });
  return { toggle, aside, follow, zoom: () => dialog && zoom };
}
