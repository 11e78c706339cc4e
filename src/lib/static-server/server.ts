import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import path from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { listenOnLoopback } from '../http/loopback.ts';
import { headersFor } from './headers-file.ts';

interface StaticServerOptions {
  folder: string;
  port: number;
  /** Base path of the served folder, such as `/cars`. */
  basePath?: string;
}

/**
 * Serves a folder on loopback like a static host: index files, `404.html` for unknown paths, compression, and the
 * headers in its `_headers` file.
 */
export async function startStaticServer(options: StaticServerOptions) {
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
  const server = await listenOnLoopback(createServer(getRequestListener(app.fetch)), port);
  /** URL of the served folder, with a slash at the end. */
  const url = `http://127.0.0.1:${server.port}${basePath}/`;
  return { ...server, url };
}

/** Starts a server on the preferred port, or on the next free port, which it reports. */
export async function onFreePort<T>(
  preferred: number,
  start: (port: number) => Promise<T>,
  notify: (text: string) => void,
): Promise<T> {
  for (let port = preferred; ; port++) {
    try {
      const result = await start(port);
      if (port !== preferred) notify(`Port ${preferred} is busy, using ${port}.`);
      return result;
    } catch (error) {
      const isBusy = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isBusy || port === preferred + 49) throw error;
    }
  }
}

/** Listens on a port, so that no other process takes it before its server is ready. @throws EADDRINUSE. */
export async function holdPort(port: number) {
  // Closing waits for open connections.
  const holder = createTcpServer((socket) => socket.destroy()).listen(port);
  await once(holder, 'listening');
  /** Frees the port for its server. */
  const release = () => holder[Symbol.asyncDispose]();
  return { port: (holder.address() as AddressInfo).port, release, [Symbol.asyncDispose]: release };
}
