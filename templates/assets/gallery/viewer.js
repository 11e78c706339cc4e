import { stop } from './player.js';
import { framed, grow, preloadNeighbours, setHash, setSizes } from './slides.js';
import { zoomOf } from './zoom.js';

/**
 * The same stage on the whole screen, in a dialog of the platform: what has been loaded is there, and
 * everything that moves it goes on to.
 */
export function viewerOf({ gallery, stage, strip, links, track, rove }) {
  const frame = stage.parentNode;
  const controls = frame.querySelector('.controls');
  let dialog;
  let zoom;
  let before;
  let screen;
  /** The end of the full screen, while the browser is at it. */
  let ending;

  function show() {
    if (dialog) return;
    before = document.activeElement;
    const image = links[track.at].querySelector('img');
    const from = image?.getBoundingClientRect();
    const isCut = image && getComputedStyle(image).objectFit === 'cover';
    dialog = document.createElement('dialog');
    dialog.className = 'viewer';
    dialog.ariaLabel = gallery.dataset.viewer;
    // The page below keeps its height.
    gallery.style.minHeight = `${gallery.offsetHeight}px`;
    dialog.append(stage, controls, strip ?? '');
    gallery.append(dialog);
    for (const one of stage.querySelectorAll('img')) {
      const { dataset } = one.closest('a');
      setSizes(one, 1);
      if (dataset.larger) one.parentNode.firstElementChild.srcset += `, ${dataset.larger}`;
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
    if (from) grow(image, from, isCut);
    preloadNeighbours(track);
    // Back closes the viewer and stays on the page. Its entry below names no picture: browsers would
    // give the focus to that one.
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
    // Where it was: the same button, or the picture that is now shown in place of the former.
    // Of a mosaic, only three are seen.
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
    // In a frame the dialog has only the frame; the screen is asked for, and may be refused. Not for
    // the dialog, which the platform forbids, and before it opens, because the later one is on top.
    screen = false;
    const ask = () => document.documentElement.requestFullscreen?.();
    // A request while the screen is given back would be granted, and then end with it.
    const asked = framed && (ending?.then(ask) ?? ask());
    if (!asked) return show();
    asked
      .then(() => {
        screen = true;
      })
      .catch(() => {})
      .then(show);
  }

  /**
   * What is pressed inside of a player is the player's, Escape too, and nobody else hears of it. So the
   * focus stays before the player, one step of the Tab key away, and comes back from it with the mouse.
   */
  function aside() {
    const slide = track.slides[track.at];
    slide.tabIndex = -1;
    slide.focus({ preventScroll: true });
  }

  /** Open where the history says so: loaded again, or forward to it. */
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
