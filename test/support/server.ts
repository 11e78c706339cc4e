import { randomInt } from 'node:crypto';
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

/**
 * A port that was free a moment ago. The system gives ports from 32768 to connections and other servers, so none of
 * them gets this one before its server starts.
 */
export async function freePort(): Promise<number> {
  try {
    const { port, release } = await holdPort(randomInt(10_000, 32_768));
    await release();
    return port;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return freePort();
  }
}
