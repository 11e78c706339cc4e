import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { describeError } from '../errors.ts';
import { escapeHtml } from '../lib/html.ts';
import { mimeTypeOf } from '../lib/mime.ts';
import type { DevSite } from './site.ts';

const CLIENT = '/__dev/client.js';
const EVENTS = '/__dev/events';

/**
 * Runs in the page: a new style sheet is put in its place, anything else loads the page again. The
 * page says which version it is, so a change between its loading and the first event is not missed.
 */
const CLIENT_SCRIPT = `
let known = Number(document.currentScript.dataset.version);
new EventSource('${EVENTS}').onmessage = ({ data }) => {
  const { version, styles } = JSON.parse(data);
  if (version === known) return;
  known = version;
  if (!styles) return location.reload();
  for (const link of document.querySelectorAll('link[rel=stylesheet]')) {
    link.href = link.href.split('?')[0] + '?v=' + version;
  }
};
`;

const withClient = (html: string, version: number): string => {
  const script = `<script defer src="${CLIENT}" data-version="${version}"></script>`;
  return html.includes('</head>') ? html.replace('</head>', `${script}</head>`) : html + script;
};

export interface Shown {
  /** Path of `site.url`, without a slash at the end. */
  base: string;
  /** Where thumbnails lie. */
  mediaFolder: string;
}

export interface DevServer {
  /** Address of the machine's own server, without a path. */
  origin: string;
  /** Serves a site from now on, or its error, and notifies the browsers. */
  show(site: DevSite | { problem: unknown }, styles?: boolean): void;
  /** Where the site lies; known once its configuration is. */
  place(shown: Shown): void;
  close(): Promise<void>;
}

function errorPage(error: unknown): string {
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Error</title></head><body><main><h1>This page cannot be shown</h1><pre>${escapeHtml(describeError(error))}</pre><p>It is shown as soon as the file is mended.</p></main></body></html>`;
}

/** Serves a site on loopback, each page rendered when it is asked for. */
export function startDevServer(port: number): Promise<DevServer> {
  let site: DevSite | { problem: unknown } | undefined;
  let place: Shown = { base: '', mediaFolder: '' };
  let version = Date.now();
  const listeners = new Set<(styles: boolean) => void>();
  const app = new Hono();

  app.get(CLIENT, (context) =>
    context.body(CLIENT_SCRIPT, 200, { 'Content-Type': 'text/javascript' }),
  );
  app.get(EVENTS, (context) =>
    streamSSE(context, async (stream) => {
      const send = (styles: boolean) => {
        void stream.writeSSE({ data: JSON.stringify({ version, styles }) });
      };
      listeners.add(send);
      send(false);
      await new Promise<void>((resolve) => stream.onAbort(resolve));
      listeners.delete(send);
    }),
  );
  app.use('*', async (context, next) => {
    const prefix = `${place.base}/media/`;
    if (place.mediaFolder === '' || !context.req.path.startsWith(prefix)) return next();
    const root = path.relative(process.cwd(), place.mediaFolder);
    const rewriteRequestPath = (request: string) => request.slice(prefix.length - 1);
    return serveStatic({ root, rewriteRequestPath })(context, next);
  });
  app.get('*', (context) => {
    const asked = decodeURI(context.req.path);
    if (!site) return context.text('The site is being prepared.', 503);
    if ('problem' in site) return context.html(withClient(errorPage(site.problem), version), 500);
    if (!asked.startsWith(`${place.base}/`)) return context.redirect(`${place.base}/`);
    const below = asked.slice(place.base.length);
    const name = below.endsWith('/') ? `${below}index.html` : below;
    try {
      const file = site.page(name) ?? site.file(name);
      // Templates also render the data of a list's search.
      if (file !== undefined && name.endsWith('.html')) {
        const text = typeof file === 'string' ? file : Buffer.from(file).toString();
        return context.html(withClient(text, version));
      }
      if (file === undefined)
        return context.html(withClient(site.page('/404.html') ?? '', version), 404);
      const type = mimeTypeOf(name) ?? 'application/octet-stream';
      const body = typeof file === 'string' ? file : new Uint8Array(file);
      return context.body(body, 200, { 'Content-Type': type, 'Cache-Control': 'no-store' });
    } catch (error) {
      return context.html(withClient(errorPage(error), version), 500);
    }
  });

  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (info: AddressInfo) =>
      resolve({
        origin: `http://127.0.0.1:${info.port}`,
        place: (shown) => {
          place = shown;
        },
        show: (shown, styles = false) => {
          site = shown;
          version++;
          for (const send of listeners) send(styles && !('problem' in shown));
        },
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            if ('closeAllConnections' in server) server.closeAllConnections();
          }),
      }),
    );
    server.on('error', reject);
  });
}
