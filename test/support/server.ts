import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { holdPort } from '../../src/lib/static-server/server.ts';

/** A server on a free port of this machine. */
export interface TestServer extends AsyncDisposable {
  /** Without a trailing slash. */
  url: string;
  server: Server;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Starts a server that answers requests with a function. @param tls certificate of an https server. */
export async function serve(
  answer: RequestListener,
  tls?: { key: string; cert: string },
): Promise<TestServer> {
  const server = tls ? createSecureServer(tls, answer) : createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  const url = `http${tls ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, server, close, [Symbol.asyncDispose]: close };
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const { port, release } = await holdPort(0);
  await release();
  return port;
}
