import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { headersFor } from './headers-file.ts';

export interface StaticServer extends AsyncDisposable {
  /** URL of the served folder, with a slash at the end. */
  url: string;
}

export interface StaticServerOptions {
  folder: string;
  port: number;
  /** Base path of the served folder, such as `/cars`. */
  basePath?: string;
}

/**
 * Serves a folder on loopback like a static host: index files, `404.html` for unknown paths, compression, and the
 * headers in its `_headers` file.
 */
export function startStaticServer(options: StaticServerOptions): Promise<StaticServer> {
  const { folder, port, basePath = '' } = options;
  const app = new Hono();
  const root = path.relative(process.cwd(), folder) || '.';
  const rewriteRequestPath = (request: string) => request.slice(basePath.length) || '/';
  app.use(async (context, next) => {
    await next();
    const rules = await readFile(path.join(folder, '_headers'), 'utf8').catch(() => '');
    const headers = headersFor(rules, rewriteRequestPath(context.req.path));
    for (const [name, value] of headers) context.header(name, value);
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
        [Symbol.asyncDispose]: async () => {
          const closed = server[Symbol.asyncDispose]();
          if ('closeAllConnections' in server) server.closeAllConnections();
          await closed;
        },
      });
    });
    server.on('error', reject);
  });
}

/** Starts a server on the preferred port, or on the next free port, which it reports. */
export async function onFreePort<T>(
  preferred: number,
  start: (port: number) => Promise<T>,
  notify: (text: string) => void,
): Promise<T> {
  for (let port = preferred; port < preferred + 50; port++) {
    try {
      const result = await start(port);
      if (port !== preferred) notify(`Port ${preferred} is busy, using ${port}.`);
      return result;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
  throw new Error(`No free port from ${preferred} to ${preferred + 49}`);
}

/** Listens on a port, so that no other process takes it before its server is ready. @throws EADDRINUSE. */
export const holdPort = (port: number) =>
  new Promise<{ port: number; release: () => Promise<void> }>((resolve, reject) => {
    // Closing waits for open connections.
    const holder = createServer((socket) => socket.destroy()).once('error', reject);
    holder.listen(port, () => {
      const address = holder.address() as AddressInfo;
      /** Frees the port for its server. */
      const release = () => new Promise<void>((done) => holder.close(() => done()));
      resolve({ port: address.port, release });
    });
  });
