import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { headersFor } from './headers-file.ts';

export interface StaticServer {
  /** Address of the served folder, with a slash at the end. */
  url: string;
  close(): Promise<void>;
}

export interface StaticServerOptions {
  folder: string;
  port: number;
  /** Path that the folder is served below, such as `/cars`. */
  basePath?: string;
  /** Headers of `_headers` that are left out, in lower case. */
  without?: readonly string[];
}

/**
 * Serves a folder on loopback as a static host would: index files, `404.html` for the rest, texts compressed, and the
 * headers that its `_headers` file asks for, so visitors will get the same.
 */
export function startStaticServer({
  folder,
  port,
  basePath = '',
  without = [],
}: StaticServerOptions): Promise<StaticServer> {
  const app = new Hono();
  const root = path.relative(process.cwd(), folder) || '.';
  const rewriteRequestPath = (request: string) => request.slice(basePath.length) || '/';
  app.use(async (context, next) => {
    await next();
    const rules = await readFile(path.join(folder, '_headers'), 'utf8').catch(() => '');
    const headers = headersFor(rules, rewriteRequestPath(context.req.path));
    for (const [name, value] of headers) {
      if (!without.includes(name)) context.header(name, value);
    }
  });
  app.use(compress());
  app.use(`${basePath}/*`, serveStatic({ root, rewriteRequestPath }));
  app.notFound(async (context) => {
    const page = await readFile(path.join(folder, '404.html'), 'utf8').catch(() => 'Not found');
    return context.html(page, 404);
  });
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (info: AddressInfo) => {
      resolve({
        url: `http://127.0.0.1:${info.port}${basePath}/`,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            if ('closeAllConnections' in server) server.closeAllConnections();
          }),
      });
    });
    server.on('error', reject);
  });
}

/** Starts something on the wanted port or the next free one, and reports which one. */
export async function onFreePort<T>(
  wanted: number,
  start: (port: number) => Promise<T>,
  notify: (text: string) => void,
): Promise<T> {
  for (let port = wanted; port < wanted + 50; port++) {
    try {
      const started = await start(port);
      if (port !== wanted) notify(`Port ${wanted} is busy, using ${port}.`);
      return started;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
  throw new Error(`No free port from ${wanted} to ${wanted + 49}`);
}

/** A port, if nothing listens on it. @throws EADDRINUSE. */
export const freePort = (port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(port, () => {
      const address = probe.address() as AddressInfo;
      probe.close(() => resolve(address.port));
    });
  });
