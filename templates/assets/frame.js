/*
 * For pages in frames: tells the page around how high they are. Two kinds of listeners are served:
 * our own embed.js, and WordPress, which gives a secret in the address and takes nothing without it.
 * embed.js also says which colour scheme the page has: only then it is transparent.
 * The 404 page reports that the page of the frame is missing.
 * In a sandboxed frame links cannot open and players cannot play: there the page around is asked to
 * go to the vehicle's page.
 */
import { calmTransitions } from './pages/transition.js';

(() => {
  const { parent } = window;
  if (parent === window) return;
  calmTransitions();
  // A part of a page does not turn.
  addEventListener('pageswap', ({ viewTransition }) => viewTransition?.skipTransition());
  const { body } = document;
  const secret = /(?:^#?\??|[?&])secret=([\w-]+)/.exec(location.hash)?.[1];
  const sandboxed = self.origin === 'null';

  const say = (event, more) =>
    parent.postMessage({ source: 'vehicle-media', version: 1, event, ...more }, '*');
  const wordpress = (message, value) => {
    if (secret) parent.postMessage({ message, value, secret }, '*');
  };

  const dress = (theme) => {
    if (theme) document.documentElement.dataset.theme = theme;
  };
  dress(/^vehicle-media-(light|dark)$/.exec(window.name)?.[1]);
  addEventListener('message', ({ source, data }) => {
    if (source === parent && data?.source === 'vehicle-media') dress(data.theme);
  });

  let told = 0;
  const measure = () => {
    const height = Math.ceil(body.getBoundingClientRect().height);
    if (height === told || height === 0 || document.fullscreenElement) return;
    told = height;
    say('height', { height });
    wordpress('height', Math.max(200, Math.min(1000, height)));
  };

  window.vehicleMediaFrame = {
    gone() {
      say('gone');
      measure();
    },
  };
  if ('gone' in body.dataset) say('gone');
  if (!('page' in body.dataset || 'plates' in body.dataset)) {
    // The 404 page: embed.js shows the website's own text instead, and other frames get one line.
    say('missing');
    const line = document.createElement('p');
    line.className = 'quiet';
    line.textContent = document.querySelector('main p')?.textContent ?? document.title;
    body.className = 'embed';
    body.replaceChildren(line);
    measure();
  }
  if ('page' in body.dataset) {
    say('ready');
    new ResizeObserver(measure).observe(body);
    measure();
  }

  if (sandboxed) {
    document.addEventListener(
      'click',
      (event) => {
        const link = event.target.closest('a');
        if (!link || link.getAttribute('href')?.startsWith('#')) return;
        const slide = link.closest('.slide')?.id;
        event.preventDefault();
        wordpress('link', body.dataset.page + (slide ? `#${slide}` : ''));
      },
      { capture: true },
    );
  }
})();
