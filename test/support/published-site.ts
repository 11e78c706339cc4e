import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PUBLISHED_TIMES } from '../../src/record/published-records.ts';
import { serve } from './server.ts';

/** Response instead of a file. */
export interface Instead {
  status?: number;
  headers?: Record<string, string | number>;
  body?: Uint8Array | string;
  /** Closes the connection without a response. */
  cut?: boolean;
  /** The request is accepted and never answered. */
  hang?: boolean;
}

/** A static host on loopback with exchangeable files and responses. */
export interface PublishedSite extends AsyncDisposable {
  /** Without a trailing slash. */
  url: string;
  /** The served folder. */
  folder: string;
  /** Requested paths below the site. */
  asked: string[];
  /** Replaces the response for a file. Undefined keeps it. */
  instead: ((file: string, bytes: Buffer | undefined) => Instead | undefined) | undefined;
  /** Refuses connections until the site is reopened at the same URL. */
  refuse(): Promise<{ comeBack: () => Promise<void> }>;
  close(): Promise<void>;
}

/** Listens on a port that was briefly free, so another process may use it. */
async function listenAgain(server: Server, port: number): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      return;
    } catch (error) {
      if (tries === 150) throw error;
      await sleep(100);
    }
  }
}

export async function startPublishedSite(): Promise<PublishedSite> {
  const site: PublishedSite = {
    url: '',
    folder: '',
    asked: [],
    instead: undefined,
    refuse: async () => {
      const { port } = server.address() as AddressInfo;
      await close();
      return { comeBack: () => listenAgain(server, port) };
    },
    close: () => close(),
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await close();
    },
  };
  const { url, server, close } = await serve(async (request, response) => {
    const file = (request.url ?? '/').slice(1);
    site.asked.push(file);
    const bytes = await readFile(path.join(site.folder, file)).catch(() => undefined);
    const instead = site.instead?.(file, bytes);
    if (instead?.cut) return request.socket.destroy();
    if (instead?.hang) return;
    if (instead) {
      const { status = 200, headers = {}, body = bytes } = instead;
      return response.writeHead(status, headers).end(body);
    }
    if (!bytes) return response.writeHead(404).end('not here');
    return response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  });
  site.url = url;
  return site;
}

/** For `instead`: a site that is unreachable for long. */
export const UNREACHABLE: PublishedSite['instead'] = () => ({
  status: 503,
  headers: { 'retry-after': 3600 },
});

/** `times.json` with forged signatures: the first character of each is replaced. */
export const withOtherMarks = (times: string): string =>
  times.replaceAll(/(?<="mark": ?").(?=.)/g, (first) => (first === 'x' ? 'y' : 'x'));

/** For `instead`: a site whose records have forged signatures. */
export const FORGED_MARKS: PublishedSite['instead'] = (file, bytes) =>
  file === PUBLISHED_TIMES ? { body: withOtherMarks(String(bytes)) } : undefined;
