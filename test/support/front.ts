import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An address that stays while what it leads to changes, as a name does that is pointed elsewhere. */
export interface Front extends AsyncDisposable {
  /** Without a slash at the end. */
  url: string;
  /** Where requests go, without a slash at the end. */
  to: string;
  /** Paths that are answered with a text instead, by path with a slash at the start. */
  instead: Map<string, { status: number; text: string }>;
}

export async function startFront(to: string): Promise<Front> {
  const server = createServer((asked, response) => {
    const { method, headers, url = '/' } = asked;
    const instead = front.instead.get(url.replace(/\?.*/, ''));
    if (instead) return response.writeHead(instead.status).end(instead.text);
    const passed = request(front.to + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const front: Front = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    to,
    instead: new Map(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return front;
}
