/*
 * The gallery: stage, thumbnails, videos and full-screen viewer. The page works without it; this
 * adds buttons, keys, the counter and zoom to what is already there. It is joined with its parts to a
 * classic script, because module scripts do not load in the sandboxed frames that some websites put the
 * gallery into.
 */
import { play, stop } from './gallery/player.js';
import {
  announce,
  isUnmodified,
  preloadNeighbours,
  reducedMotion,
  setHash,
  setRovingFocus,
} from './gallery/slides.js';
import { Track } from './gallery/track.js';
import { openViewer } from './gallery/viewer.js';
import { noteFailures } from './pictures/failed.js';

function start(gallery) {
  const stage = gallery.querySelector('.stage');
  const strip = gallery.querySelector('.strip');
  const thumbs = [...(strip?.querySelectorAll('a') ?? [])];
  const links = [...stage.children].map((slide) => slide.querySelector('a'));

  const open = () => openViewer({ gallery, stage, track });
  // Side by side, all that is seen can be reached; there is nothing to move.
  const isMosaic = () => getComputedStyle(stage).display === 'grid';
  const rove = (n) => {
    if (isMosaic()) for (const link of links) link.removeAttribute('tabindex');
    else setRovingFocus(links, n);
    setRovingFocus(thumbs, n);
  };
  const track = new Track(stage, (n) => {
    stop(stage, track.slides[n]);
    announce(gallery, gallery, n, links.length);
    thumbs.forEach((thumb, index) => {
      if (index === n) thumb.setAttribute('aria-current', 'true');
      else thumb.removeAttribute('aria-current');
    });
    rove(n);
    const thumb = thumbs[n];
    if (thumb) {
      const left = thumb.offsetLeft - (strip.clientWidth - thumb.clientWidth) / 2;
      strip.scrollTo({ left, behavior: reducedMotion.matches ? 'instant' : 'smooth' });
    }
    preloadNeighbours(track);
    setHash(n);
  });
  rove(0);
  addEventListener('resize', () => rove(track.at));

  gallery.addEventListener('click', (event) => {
    if (event.defaultPrevented || !isUnmodified(event)) return;
    const link = event.target.closest('a');
    if (event.target.closest('.previous')) track.go(track.at - 1);
    else if (event.target.closest('.next')) track.go(track.at + 1);
    else if (event.target.closest('.full')) open();
    else if (link?.matches('.chip')) {
      const n = Number(link.hash.slice(1)) - 1;
      event.preventDefault();
      track.go(n, true);
      if (isMosaic()) open();
      const place = isMosaic() ? document.querySelector('.viewer .stage') : stage;
      place.children[n].querySelector('[data-play]')?.click();
    } else if (thumbs.includes(link)) {
      event.preventDefault();
      track.go(thumbs.indexOf(link));
    } else if (link?.dataset.play) {
      event.preventDefault();
      play(link, gallery.dataset.allow).focus();
    } else if (link?.matches('.shot')) {
      event.preventDefault();
      track.go(links.indexOf(link), true);
      open();
    }
  });
  document.addEventListener('keydown', (event) => {
    const { target } = event;
    const here = gallery.contains(target);
    if (!(here || target === document.body) || isMosaic() || !track.key(event) || !here) return;
    const list = thumbs.includes(target) ? thumbs : links.includes(target) ? links : [];
    list[track.at]?.focus({ preventScroll: true });
  });
  const fromHash = () => {
    const n = links.findIndex((_, index) => location.hash === `#${index + 1}`);
    if (n < 0) return;
    // A picture that the address names is to be seen, whether or not it is in the mosaic.
    gallery.querySelector('.frame').classList.remove('mosaic');
    rove(n);
    track.go(n, true);
  };
  // Not where the viewer, closed by Back, has named its picture since.
  addEventListener('hashchange', ({ newURL }) => newURL === location.href && fromHash());
  // Who was faster than this script stays where they are.
  track.read();
  if (!track.at) fromHash();
  // Loaded again with the viewer open, or forward to it.
  const again = () => history.state?.viewer && open();
  addEventListener('popstate', again);
  again();
  addEventListener('load', () => preloadNeighbours(track));
}

for (const gallery of document.querySelectorAll('.gallery')) start(gallery);
const { failed } = document.querySelector('[data-failed]')?.dataset ?? {};
if (failed) noteFailures(document, failed);
