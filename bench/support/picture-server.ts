/**
 * Serves pictures over local HTTP in a separate process to exclude its CPU time. `/N.jpg` is a distinct
 * variant of a picture in a folder, with an ETag. A changed revision returns other bytes at the same URL.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pictureOf, variant } from './photos.ts';

type Order =
  | { order: 'latency'; milliseconds: number }
  | { order: 'revise'; numbers: number[] }
  | { order: 'bytes' };

export interface PictureServer {
  baseUrl: string;
  /** Delays every response. */
  setLatency(milliseconds: number): Promise<void>;
  /** Changes the bytes of pictures at their URL. */
  revise(numbers: number[]): Promise<void>;
  /** Bytes of bodies sent since the last call. */
  takeBytes(): Promise<number>;
  close(): void;
}

/** Starts the server in a child process. */
export async function startPictureServer(folder: string): Promise<PictureServer> {
  const child = fork(fileURLToPath(import.meta.url), [folder], { stdio: 'inherit' });
  const answer = async () => (await once(child, 'message'))[0] as number;
  const baseUrl = `http://127.0.0.1:${await answer()}`;
  const send = (order: Order) => {
    child.send(order);
    return answer();
  };
  return {
    baseUrl,
    setLatency: async (milliseconds) => void (await send({ order: 'latency', milliseconds })),
    revise: async (numbers) => void (await send({ order: 'revise', numbers })),
    takeBytes: () => send({ order: 'bytes' }),
    close: () => child.kill(),
  };
}

function serve(folder: string): void {
  const photos = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(path.join(folder, name)));
  const revisions = new Map<number, number>();
  let latency = 0;
  let sent = 0;
  const server = createServer((request, response) => {
    const number = Number(/^\/(\d+)\.jpg$/.exec(request.url ?? '')?.[1] ?? Number.NaN);
    const photo = photos[pictureOf(number, photos.length)];
    if (!photo) return response.writeHead(404).end();
    const revision = revisions.get(number) ?? 0;
    const etag = `"${number}-${revision}"`;
    setTimeout(() => {
      if (request.headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end();
      const body = variant(photo, number + revision * 1_000_000);
      sent += body.length;
      response.writeHead(200, {
        etag,
        'content-type': 'image/jpeg',
        'content-length': body.length,
      });
      return response.end(body);
    }, latency);
    return undefined;
  });
  process.on('message', (order: Order) => {
    let answer = 0;
    if (order.order === 'latency') latency = order.milliseconds;
    else if (order.order === 'bytes') [answer, sent] = [sent, 0];
    else
      for (const number of order.numbers) revisions.set(number, (revisions.get(number) ?? 0) + 1);
    process.send?.(answer);
  });
  process.on('disconnect', () => process.exit(0));
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  serve(process.argv[2] ?? '');
}
