/**
 * The media service of a dealer with real pictures, and the host of the published site, in a separate process
 * to exclude their CPU time. Both count the bytes that they send.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pictureOf, variant } from './photos.ts';
import { plateOf, START } from './stock-server.ts';

export interface NightShape {
  /** Folder with the original pictures. All others are variants. */
  photos: string;
  vehicles: number;
  /** Pictures of each vehicle. */
  pictures: number;
}

/** Bytes of bodies by kind: responses and originals of the service, files of the site. */
export type Sent = Record<'answers' | 'originals' | 'thumbnails' | 'records', number>;

interface Order {
  /** Folder of the published site. Undefined if the host does not respond. */
  site?: string;
  /** Number of vehicles, spread over all, with a new first picture since the first night. */
  changed: number;
  /** Number of the new picture; each number is a different picture. 1 by default. */
  round?: number;
}

export interface NightServer {
  baseUrl: string;
  siteUrl: string;
  /** Sets the data for the next night and resets the counters. */
  prepare(order: Order): Promise<void>;
  sent(): Promise<Sent>;
  close(): void;
}

/** Starts both in a child process. */
export async function startNightServer(shape: NightShape): Promise<NightServer> {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(shape)], { stdio: 'inherit' });
  const answer = async () => (await once(child, 'message'))[0];
  const [service, site] = await answer();
  const ask = (message: Order | 'sent') => {
    child.send(message);
    return answer();
  };
  return {
    baseUrl: `http://127.0.0.1:${service}`,
    siteUrl: `http://127.0.0.1:${site}`,
    prepare: (order) => ask(order),
    sent: () => ask('sent'),
    close: () => child.kill(),
  };
}

const nothing = (): Sent => ({ answers: 0, originals: 0, thumbnails: 0, records: 0 });

function serve({ photos: folder, vehicles, pictures }: NightShape): void {
  const photos = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(path.join(folder, name)));
  let order: Order = { changed: 0 };
  let sent = nothing();
  const send = (response: ServerResponse, kind: keyof Sent, type: string, body: Buffer) => {
    sent[kind] += body.length;
    response.writeHead(200, { 'content-type': type, 'content-length': body.length }).end(body);
  };
  const portOf = (server: Server) => (server.address() as AddressInfo).port;
  const isChanged = (vehicle: number) =>
    Math.floor((vehicle * order.changed) / vehicles) !==
    Math.floor(((vehicle + 1) * order.changed) / vehicles);

  const service = createServer((request, response) => {
    const number = Number(/^\/(\d+)\.jpg$/.exec(request.url ?? '')?.[1] ?? Number.NaN);
    const photo = photos[pictureOf(number, photos.length)];
    if (photo) {
      const etag = `"${number}"`;
      if (request.headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end();
      response.setHeader('etag', etag);
      return send(response, 'originals', 'image/jpeg', variant(photo, number));
    }
    const { round = 1 } = order;
    const stock = Array.from({ length: vehicles }, (_, vehicle) => {
      const changed = isChanged(vehicle);
      const updated = START + vehicle * 1000 + (changed ? round * 86_400_000 : 0);
      return {
        vrm: plateOf(vehicle),
        dateUpdated: `${new Date(updated).toISOString().slice(0, 19)}Z`,
        mediaList: Array.from({ length: pictures }, (_, picture) => {
          const isNew = changed && picture === pictures - 1;
          const id = vehicle * pictures + picture + (isNew ? vehicles * pictures * round : 0);
          return {
            id: id + 1,
            type: 'Image',
            label: `Image ${picture + 1}`,
            mediaUrl: `http://127.0.0.1:${portOf(service)}/${id}.jpg`,
          };
        }),
      };
    });
    return send(response, 'answers', 'application/json', Buffer.from(JSON.stringify(stock)));
  });
  const site = createServer((request, response) => {
    if (order.site === undefined) return request.socket.destroy();
    const file = path.join(order.site, decodeURIComponent(request.url ?? '/'));
    try {
      const kind = /^\/media\//.test(request.url ?? '') ? 'thumbnails' : 'records';
      return send(response, kind, 'application/octet-stream', readFileSync(file));
    } catch {
      return response.writeHead(404).end();
    }
  });
  process.on('message', (message: Order | 'sent') => {
    if (message === 'sent') return process.send?.(sent);
    order = message;
    sent = nothing();
    return process.send?.(0);
  });
  process.on('disconnect', () => process.exit(0));
  service.listen(0, '127.0.0.1', () =>
    site.listen(0, '127.0.0.1', () => process.send?.([portOf(service), portOf(site)])),
  );
}

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  serve(JSON.parse(process.argv[2] ?? '{}'));
}
