/*
 * The gallery: stage, thumbnails, videos and full-screen viewer. The page works without it; this
 * adds buttons, keys, the counter and zoom to what is already there. It is joined with its parts to a
 * classic script, because module scripts do not load in the sandboxed frames that some websites put the
 * gallery into.
 */
import { play, stop } from './gallery/player.js';
import {
  isUnmodified,
  preloadNeighbours,
  reducedMotion,
  setHash,
  setRovingFocus,
} from './gallery/slides.js';
import { Track } from './gallery/track.js';
import { viewerOf } from './gallery/viewer.js';
import { calmTransitions } from './pages/transition.js';
import { noteFailures } from './pictures/failed.js';

function start(gallery) {
  const stage = gallery.querySelector('.stage');
  const strip = gallery.querySelector('.strip');
  const counter = gallery.querySelector('.counter');
  const thumbs = [...(strip?.querySelectorAll('a') ?? [])];
  const links = [...stage.children].map((slide) => slide.querySelector('a'));

  // Side by side, all that is seen can be reached; there is nothing to move.
  const isMosaic = () => getComputedStyle(stage).display === 'grid';
  const rove = () => {
    setRovingFocus(links, isMosaic() ? -1 : track.at);
    setRovingFocus(thumbs, track.at);
  };
  const track = new Track(stage, (n) => {
    viewer.zoom()?.reset();
    stop(stage, track.slides[n]);
    if (counter) {
      const { position } = gallery.dataset;
      counter.textContent = position.replace('{n}', n + 1).replace('{total}', links.length);
    }
    thumbs.forEach((thumb, index) => {
      thumb.ariaCurrent = index === n || null;
    });
    const thumb = thumbs[n];
    if (thumb) {
      const left = thumb.offsetLeft - (strip.clientWidth - thumb.clientWidth) / 2;
      const top = thumb.offsetTop - (strip.clientHeight - thumb.clientHeight) / 2;
      strip.scrollTo({ left, top, behavior: reducedMotion.matches ? 'instant' : 'smooth' });
    }
    rove();
    // Who is on a link or a thumbnail moves along.
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
        track.go(link.hash.slice(1) - 1);
        if (on('.strip')) return;
        if (isMosaic()) viewer.toggle();
        links[track.at].click();
      }
    }
  });
  document.addEventListener('keydown', (event) => {
    const { target } = event;
    if (isMosaic() || !(gallery.contains(target) || target === document.body)) return;
    if (!viewer.zoom()?.key(event)) track.key(event);
  });
  const fromHash = () => {
    const n = location.hash.slice(1) - 1;
    if (!links[n]) return;
    // A picture that the address names is to be seen, whether or not it is in the mosaic.
    gallery.querySelector('.frame').classList.remove('mosaic');
    rove();
    track.go(n, true);
  };
  // Not where the viewer, closed by Back, has named its picture since.
  addEventListener('hashchange', ({ newURL }) => newURL === location.href && fromHash());
  // Who was faster than this script stays where they are.
  track.read();
  if (!track.at) fromHash();
  viewer.follow();
  addEventListener('load', () => preloadNeighbours(track));
}

calmTransitions();
for (const gallery of document.querySelectorAll('.gallery')) start(gallery);
const { failed } = document.querySelector('[data-failed]')?.dataset ?? {};
if (failed) noteFailures(document, failed);
