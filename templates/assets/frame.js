/*
 * For pages in frames: reports their height to the page around. It supports two listeners: embed.js of
 * this site, and WordPress, which puts a secret into the URL and ignores messages without it.
 * embed.js also sets the colour scheme of the page, and only then is the page transparent.
 * The 404 page reports that the page of the frame is missing.
 * In the sandbox of WordPress, links cannot open and players cannot play. So WordPress is asked to open the
 * vehicle's page. Other sandboxes may allow both.
 */
import { calmTransitions } from './pages/transition.js';

(() => {
  const { parent } = window;
  if (parent === window) return;
  calmTransitions();
  // Embedded pages have no view transitions.
  addEventListener('pageswap', ({ viewTransition }) => viewTransition?.skipTransition());
  const { body } = document;
  const secret = /(?:^#?\??|[?&])secret=([\w-]+)/.exec(location.hash)?.[1];
  const sandboxed = secret && self.origin === 'null';

  const report = (event, more) =>
    parent.postMessage({ source: 'vehicle-media', version: 1, event, ...more }, '*');
  const wordpress = (message, value) => {
    if (secret) parent.postMessage({ message, value, secret }, '*');
  };

  const setTheme = (theme) => {
    const { dataset, style } = document.documentElement;
    // Also overrides a theme with one colour scheme. A frame with another scheme would not be transparent.
    if (theme) dataset.theme = style.colorScheme = theme;
  };
  setTheme(/^vehicle-media-(light|dark)$/.exec(window.name)?.[1]);
  addEventListener('message', ({ source, data }) => {
    if (source !== parent) return;
    if (data?.source === 'vehicle-media') setTheme(data.theme);
    // The script of WordPress was loaded after this page, and missed its height.
    if (secret && data?.secret === secret) {
      reportedHeight = 0;
      measure();
    }
  });

  let reportedHeight = 0;
  const measure = () => {
    const height = Math.ceil(body.getBoundingClientRect().height);
    // The viewer has another width.
    if (document.fullscreenElement || document.querySelector('.viewer')) return;
    // The page around sets this height. A scrollbar would make the page narrower and lower, and so stay.
    const { dataset, style } = document.documentElement;
    style.overflow = height > (dataset.theme ? 4000 : secret ? 1000 : 0) ? '' : 'hidden';
    if (height === reportedHeight || height === 0) return;
    reportedHeight = height;
    report('height', { height });
    wordpress('height', Math.max(200, Math.min(1000, height)));
  };

  window.vehicleMediaFrame = {
    /** No listed vehicle has the plate. embed.js then shows the website's text, if there is any. */
    gone() {
      report('gone', { unlisted: true });
      measure();
    },
  };
  // Looking up a plate can take long on a slow connection.
  if ('plates' in body.dataset) report('searching');
  if ('gone' in body.dataset) report('gone');
  if (!('page' in body.dataset || 'plates' in body.dataset)) {
    // The 404 page: embed.js shows the website's text instead, and other frames show one line.
    report('missing');
    const line = document.createElement('p');
    line.className = 'quiet';
    line.textContent = document.querySelector('main p')?.textContent ?? document.title;
    body.className = 'embed';
    body.replaceChildren(line);
    measure();
  }
  if ('page' in body.dataset) {
    report('ready');
    new ResizeObserver(measure).observe(body);
    measure();
    // embed.js makes space for a viewer that the browser does not show in full screen.
    const gallery = document.querySelector('.gallery');
    const reportViewer = () => {
      report('viewer', {
        open: Boolean(gallery.querySelector('.viewer')) && !document.fullscreenElement,
      });
    };
    if (gallery) new MutationObserver(reportViewer).observe(gallery, { childList: true });
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
