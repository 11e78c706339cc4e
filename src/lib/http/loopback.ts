import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL's host is this machine itself (`localhost`, `127.0.0.0/8`, `[::1]`). */
export const isLoopback = (url: URL): boolean => LOOPBACK.test(url.hostname);

/** Listens on this machine only. Its disposal ends all open connections, even if they hang. @param port 0: any free port. */
export async function listenOnLoopback(server: Server, port: number) {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      const closed = server[Symbol.asyncDispose]();
      server.closeAllConnections();
      await closed;
    },
  };
}
