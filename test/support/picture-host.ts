import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { serve } from './server.ts';

export type PictureHost = Awaited<ReturnType<typeof startPictureHost>>;

/** Called with a request. The response waits for it. */
type OnRequest = (number: number, from: Socket) => void | Promise<void>;

/**
 * Pictures over HTTP, and a log of requests. They are noise with a different colour per picture, so that no
 * two have equal bytes.
 */
export async function startPictureHost(count: number, width = 800) {
  const pictures = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      sharp({
        create: {
          width,
          height: (width * 3) / 4,
          channels: 3,
          background: { r: index % 256, g: 99 + Math.floor(index / 256), b: 200 },
          noise: { type: 'gaussian', mean: 128, sigma: 20 },
        },
      })
        .jpeg()
        .toBuffer(),
    ),
  );
  const server = await serve(async (request, response) => {
    const number = Number(/^\/(\d+)\.jpg$/.exec(request.url ?? '')?.[1] ?? Number.NaN);
    const picture = pictures[number];
    if (!picture) return response.writeHead(404).end();
    host.asked.push(number);
    await host.onRequest?.(number, request.socket);
    const etag = `"${number}"`;
    if (request.headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end();
    return response.writeHead(200, { etag, 'content-length': picture.length }).end(picture);
  });
  const host = {
    baseUrl: server.url,
    urls: pictures.map((_, number) => `${server.url}/${number}.jpg`),
    /** Numbers of the requested pictures. */
    asked: [] as number[],
    openConnections: () => promisify(server.server.getConnections).call(server.server),
    onRequest: undefined as OnRequest | undefined,
    [Symbol.asyncDispose]: server.close,
  };
  return host;
}

/** The process that holds the other end of a connection on this machine (Linux). */
export function ownerOf(socket: Socket, pids: readonly number[]): number | undefined {
  // Connections and open files of all processes change during a search, and then it can miss some.
  for (let attempt = 0; attempt < 10; attempt++) {
    const pid = findOwner(socket, pids);
    if (pid !== undefined) return pid;
  }
  return undefined;
}

function findOwner(socket: Socket, pids: readonly number[]): number | undefined {
  // The machine can have other connections from the same port, to other servers.
  const [from, to] = [socket.remotePort, socket.localPort].map(
    (port = 0) => `:${port.toString(16).toUpperCase().padStart(4, '0')}`,
  ) as [string, string];
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  const inode = rows
    .map((row) => row.trim().split(/\s+/))
    .find(([, local = '', remote = '']) => local.endsWith(from) && remote.endsWith(to))?.[9];
  const opened = <T>(inspect: () => T, fallback: T): T => {
    try {
      return inspect();
    } catch {
      return fallback;
    }
  };
  return pids.find((pid) =>
    opened(() => readdirSync(`/proc/${pid}/fd`), []).some(
      (fd) => opened(() => readlinkSync(`/proc/${pid}/fd/${fd}`), '') === `socket:[${inode}]`,
    ),
  );
}
