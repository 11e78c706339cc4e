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
  const track = new Track(stage, (n) => {
    stop(stage, track.slides[n]);
    announce(gallery, gallery, n, links.length);
    thumbs.forEach((thumb, index) => {
      if (index === n) thumb.setAttribute('aria-current', 'true');
      else thumb.removeAttribute('aria-current');
    });
    setRovingFocus(links, n);
    setRovingFocus(thumbs, n);
    const thumb = thumbs[n];
    if (thumb) {
      const left = thumb.offsetLeft - (strip.clientWidth - thumb.clientWidth) / 2;
      strip.scrollTo({ left, behavior: reducedMotion.matches ? 'instant' : 'smooth' });
    }
    preloadNeighbours(track);
    setHash(n);
  });
  setRovingFocus(links, 0);
  setRovingFocus(thumbs, 0);

  gallery.addEventListener('click', (event) => {
    if (event.defaultPrevented || !isUnmodified(event)) return;
    const link = event.target.closest('a');
    if (event.target.closest('.previous')) track.go(track.at - 1);
    else if (event.target.closest('.next')) track.go(track.at + 1);
    else if (event.target.closest('.full')) open();
    else if (thumbs.includes(link)) {
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
    if (!(here || target === document.body) || !track.key(event) || !here) return;
    const list = thumbs.includes(target) ? thumbs : links.includes(target) ? links : [];
    list[track.at]?.focus({ preventScroll: true });
  });
  const fromHash = () => {
    const n = links.findIndex((_, index) => location.hash === `#${index + 1}`);
    if (n >= 0) track.go(n, true);
  };
  addEventListener('hashchange', fromHash);
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
