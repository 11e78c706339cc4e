import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { temporaryFolder } from './build.ts';
import { type Site, textsOf, writeChanges } from './hosts/change-set.ts';
import { type NetlifyHost, startNetlifyHost } from './hosts/netlify.ts';
import { runHere } from './run-here.ts';

export const FIRST: Site = {
  'index.html': '<p>front',
  '404.html': '<p>not there',
  'one/index.html': '<p>dealer',
  'one/car/index.html': '<p>car',
  'media/ab/cd.webp': 'picture',
  'media/ab/ef.webp': 'another picture',
  'api/records/times.json': '{"night":1}',
  _headers: '/*\n  X-A: b\n',
};

export const SECOND: Site = {
  ...FIRST,
  'one/car/index.html': '<p>cheaper car',
  'media/ab/gh.webp': 'new picture',
  'api/records/times.json': '{"night":2}',
};

export const night = (day: number) => `2026-03-0${day}T02:00:00.000Z`;

/** A stand-in, and what a build left for it. */
export class World implements AsyncDisposable {
  readonly host: NetlifyHost;
  readonly folder: string;
  readonly #remove: () => PromiseLike<void>;

  constructor(host: NetlifyHost, folder: string, remove: () => PromiseLike<void>) {
    this.host = host;
    this.folder = folder;
    this.#remove = remove;
  }

  get changes(): string {
    return path.join(this.folder, '_changes');
  }

  /** What a thin build leaves. */
  build(site: Site, former?: Site, url = this.host.siteUrl): Promise<void> {
    const built = night(former ? 2 : 1);
    return writeChanges(this.changes, site, { url, built, former });
  }

  deploy(args: readonly string[] = [], env: Record<string, string> = {}) {
    const all = ['--to', 'netlify', '--folder', this.changes, ...args];
    return runHere(['deploy', ...all], { env: { ...this.host.environment(), ...env } });
  }

  served(): Map<string, string> {
    return textsOf(this.host.served());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host.close();
    await this.#remove();
  }
}

export async function newWorld(options?: Parameters<typeof startNetlifyHost>[0]): Promise<World> {
  const folder = await temporaryFolder();
  const host = await startNetlifyHost(options);
  return new World(host, folder.path, () => folder[Symbol.asyncDispose]());
}

/** A server that keeps what it is sent. */
export async function startListener(status: number) {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(String(await buffer(request)));
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    bodies,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
