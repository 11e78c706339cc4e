/*
 * The gallery: stage, thumbnails, videos and full-screen viewer. The page works without it. This script
 * adds buttons, keys, the counter and zoom. It is bundled as a classic script, because module scripts do
 * not load in sandboxed frames, which some websites use for the gallery.
 */
import { play, stop } from './gallery/player.js';
import {
  isUnmodified,
  preloadNeighbours,
  setHash,
  setRovingFocus,
  setSizes,
} from './gallery/slides.js';
import { Track } from './gallery/track.js';
import { viewerOf } from './gallery/viewer.js';
import { calmTransitions } from './pages/transition.js';
import { noteFailures } from './pictures/failed.js';

function start(gallery) {
  const stage = gallery.querySelector('.stage');
  const strip = gallery.querySelector('.strip');
  const counter = gallery.querySelector('.counter');
  const thumbs = [...gallery.querySelectorAll('.strip a')];
  const links = [...stage.children].map((slide) => slide.querySelector('a'));

  // Side by side, all visible pictures can be clicked, so nothing needs to move.
  const isMosaic = () => getComputedStyle(stage).display === 'grid';
  const rove = () => {
    setRovingFocus(links, isMosaic() ? -1 : track.at);
    setRovingFocus(thumbs, track.at);
  };
  const track = new Track(stage, (n) => {
    viewer.zoom()?.reset();
    stop(stage, track.slides[n]);
    if (counter) {
      // Not earlier, because screen readers would announce it when the page loads.
      counter.role = 'status';
      counter.textContent = gallery.dataset.position
        .replace('{n}', n + 1)
        .replace('{total}', links.length);
    }
    thumbs.forEach((thumb, index) => {
      thumb.ariaCurrent = index === n || null;
    });
    const thumb = thumbs[n];
    if (thumb) {
      const left = thumb.offsetLeft - (strip.clientWidth - thumb.clientWidth) / 2;
      const top = thumb.offsetTop - (strip.clientHeight - thumb.clientHeight) / 2;
      // Smooth or not as in settings.css.
      strip.scrollTo(left, top);
    }
    rove();
    // Moves the focus from the old link or thumbnail to the new one.
    for (const list of [links, thumbs]) {
      if (list.includes(document.activeElement)) list[n].focus({ preventScroll: true });
    }
    preloadNeighbours(track);
    setHash(n);
  });
  const viewer = viewerOf({ gallery, stage, strip, links, track, rove });
  rove();
  addEventListener('resize', () => {
    viewer.zoom()?.reset();
    rove();
  });

  gallery.addEventListener('click', (event) => {
    const { target } = event;
    if (event.defaultPrevented || !isUnmodified(event)) return;
    const zoom = viewer.zoom();
    const link = target.closest('a');
    const on = (what) => target.closest(what);
    if (on('.previous')) track.go(track.at - 1);
    else if (on('.next')) track.go(track.at + 1);
    else if (on('.zoom')) zoom.toggle([0, 0]);
    else if (on('.full, .close') || target.matches('.viewer')) viewer.toggle();
    else if (on('.shot, .watch, .strip a, [data-play]')) {
      event.preventDefault();
      if (on('.shot')) {
        if (zoom) return zoom.click(event);
        track.go(links.indexOf(link), true);
        viewer.toggle();
      } else if (on('[data-play]')) {
        const player = play(link, gallery.dataset.allow);
        if (zoom) viewer.aside();
        else player.focus();
      } else {
        // The player changes the layout of the stage, which would stop a smooth scroll.
        track.go(link.hash.slice(1) - 1, on('.watch'));
        if (on('.strip')) return;
        if (isMosaic()) viewer.toggle();
        links[track.at].click();
      }
    }
  });
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    const zoom = viewer.zoom();
    // Home and End scroll the page, unless the focus is in the gallery.
    const isFree = target === document.body && (zoom || key.startsWith('Arrow'));
    if (isMosaic() || !(gallery.contains(target) || isFree)) return;
    if (!zoom?.key(event)) track.key(event);
  });
  const fromHash = () => {
    const n = location.hash.slice(1) - 1;
    if (!links[n]) return;
    // Shows the picture that the URL names, even if it is not in the mosaic.
    gallery.querySelector('.frame').classList.remove('mosaic');
    for (const image of stage.querySelectorAll('img:not([sizes^=auto])')) setSizes(image, 1);
    rove();
    track.go(n, true);
  };
  // Unless the viewer, closed by Back, has set its own picture.
  addEventListener('hashchange', ({ newURL }) => newURL === location.href && fromHash());
  // If the visitor has already moved on, nothing changes.
  track.read();
  if (!track.at) fromHash();
  viewer.follow();
  addEventListener('load', () => preloadNeighbours(track));
}

calmTransitions();
for (const gallery of document.querySelectorAll('.gallery')) start(gallery);
const { failed } = document.querySelector('[data-failed]')?.dataset ?? {};
if (failed) noteFailures(document, failed);
