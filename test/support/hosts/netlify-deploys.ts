import path from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { deploySettings } from '../../../src/config/deploy-settings.ts';
import { netlifyHost } from '../../../src/deploy/hosts/netlify.ts';
import { temporaryFolder } from '../build.ts';
import { type Site, servedOf, textsOf, writeChanges } from './change-set.ts';
import { deployFolder, type HostRun, type TestClock, testClock } from './deploys.ts';
import { type NetlifyHost, startNetlifyHost } from './netlify.ts';

export const OLD: Site = {
  'index.html': '<html><a href="one/index.html">front</a>',
  '404.html': '<html>not here',
  _headers: '/media/*\n  Cache-Control: public, max-age=31536000, immutable\n',
  'one/index.html': '<html>dealer one',
  'one/1001/index.html': '<html>a car that is sold tonight',
  'two/index.html': '<html>dealer two',
  'api/records/times.json': '{"night":1}',
  'media/ab/one-320.webp': 'picture one',
  'media/ab/same-320.webp': 'picture one',
  'media/cd/two-320.webp': 'picture two',
};

const { 'one/1001/index.html': _, ...left } = OLD;

export const NEW: Site = {
  ...left,
  'one/index.html': '<html>dealer one, a car less',
  'one/1002/index.html': '<html>a new car',
  'api/records/times.json': '{"night":2}',
  'media/ef/three-320.webp': 'picture three',
};

export const [FIRST_NIGHT, SECOND_NIGHT, THIRD_NIGHT] = [
  '2026-03-01T02:00:00.000Z',
  '2026-03-02T02:00:00.000Z',
  '2026-03-03T02:00:00.000Z',
];

export let folder: Awaited<ReturnType<typeof temporaryFolder>>;

export let clock: TestClock;

export let server: NetlifyHost;

export async function restart(): Promise<void> {
  clock = testClock();
  server = await startNetlifyHost({ now: clock.now });
}

/** Another host in the place of the one that is there. */
export async function replaceHost(options: Parameters<typeof startNetlifyHost>[0]): Promise<void> {
  await server.close();
  server = await startNetlifyHost({ now: clock.now, ...options });
}

/** A host for each test of a file. */
export function hostForEachTest(): void {
  beforeEach(async () => {
    folder = await temporaryFolder();
    await restart();
  });

  afterEach(async () => {
    await server.close();
    await folder[Symbol.asyncDispose]();
  });
}

export const runOf = (more: Partial<HostRun> = {}): HostRun => {
  const environment = server.environment();
  return {
    host: netlifyHost(deploySettings('netlify', environment)),
    clock,
    secret: environment.NETLIFY_AUTH_TOKEN ?? '',
    ...more,
  };
};

interface Night {
  former?: Site;
  built?: string;
  url?: string;
  run?: Partial<HostRun>;
}

/** A thin build of a site on an empty disk, and its deploy. */
export async function night(site: Site, { former, built = SECOND_NIGHT, url, run }: Night = {}) {
  const made = path.join(folder.path, `changes-${Math.random()}`);
  await writeChanges(made, site, { url: url ?? server.siteUrl, built, former });
  return deployFolder(made, runOf(run));
}

export const isServed = (site: Site, why?: string) =>
  expect(textsOf(server.served()), why).toEqual(servedOf(site));

export const puts = () => server.requests.filter((line) => line.startsWith('PUT '));
