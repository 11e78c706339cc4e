import { inspect } from 'node:util';
import { expect } from 'vitest';
import { deploySettings } from '../../../src/config/deploy-settings.ts';
import { cloudflareWorkersHost } from '../../../src/deploy/hosts/cloudflare-workers.ts';
import { temporaryFolder } from '../build.ts';
import { type Site, textsOf, writeChanges } from './change-set.ts';
import { type CloudflareWorkersHost, startCloudflareWorkersHost } from './cloudflare-workers.ts';
import { deployFolder, type HostRun, testClock } from './deploys.ts';

const HEADERS = ['/*', '  X-Frame: no', '/media/*', '  Cache-Control: public, immutable', ''];

export const FIRST: Site = {
  'index.html': '<p>front',
  'one/index.html': '<p>dealer',
  'one/media.json': '{"vehicles":[]}',
  'one/car/index.html': '<p>car',
  'gone/index.html': '<p>gone',
  'assets/site.css': 'p{}',
  'media/ab/cd-320-x.webp': 'picture',
  'media/ab/cd-640-x.webp': 'larger picture',
  '404.html': '<p>nothing here',
  'api/records/times.json': '{"night":1}',
  _headers: HEADERS.join('\n'),
};

const { 'gone/index.html': _, ...left } = FIRST;
export const LEFT: Site = left;

export const SECOND: Site = {
  ...LEFT,
  'index.html': '<p>front, new',
  'two/index.html': '<p>another dealer',
  'media/ef/gh-320-x.webp': 'new picture',
  'api/records/times.json': '{"night":2}',
};

export const served = (host: CloudflareWorkersHost) => textsOf(host.served());

export const builtOn = (day: number) => `2026-03-${String(day).padStart(2, '0')}T02:00:00.000Z`;

export interface Night extends Pick<Partial<HostRun>, 'takeOver' | 'signal' | 'verify'> {
  now: Site;
  former?: Site;
  day?: number;
  environment?: Record<string, string>;
  url?: string;
}

/** A host, and deploys of nights to it, on a clock that need not be waited for. */
export async function world(options: Parameters<typeof startCloudflareWorkersHost>[0] = {}) {
  const waits: number[] = [];
  const clock = testClock();
  const { sleep } = clock;
  clock.sleep = (ms, signal) => {
    waits.push(ms);
    return sleep(ms, signal);
  };
  const folder = await temporaryFolder();
  const host = await startCloudflareWorkersHost({ now: clock.now, ...options });
  const said: string[] = [];
  const runOf = (environment: Record<string, string> = {}): HostRun => {
    const all = { ...host.environment(), ...environment };
    return {
      host: cloudflareWorkersHost(deploySettings('cloudflare-workers', all)),
      clock,
      secret: all.CLOUDFLARE_API_TOKEN ?? '',
    };
  };
  /** Tokens of uploads are secrets, too: they begin as all JSON does. */
  const noTokens = (value: unknown) =>
    expect(inspect(value, { depth: 8, maxStringLength: null })).not.toContain('eyJ');
  let number = 0;
  /** A thin build of a site on an empty disk, and its deploy. */
  const night = async ({ now, former, day = 1, environment, url, ...run }: Night) => {
    const changes = `${folder.path}/night-${++number}`;
    await writeChanges(changes, now, { url: url ?? host.siteUrl, built: builtOn(day), former });
    const onEvent = ({ text }: { text: string }) => void said.push(text);
    try {
      return (await deployFolder(changes, { ...runOf(environment), onEvent, ...run })).report;
    } catch (error) {
      noTokens(error);
      throw error;
    } finally {
      noTokens(said);
    }
  };
  return {
    folder: folder.path,
    clock,
    waits,
    host,
    said,
    night,
    runOf,
    [Symbol.asyncDispose]: async () => {
      await host.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Until so many uploads have come: so none is answered before. */
export const underWay = (host: CloudflareWorkersHost, count: number) =>
  expect.poll(() => host.uploadsUnderWay.length).toBeGreaterThanOrEqual(count);

export const switches = (requests: readonly string[]) =>
  requests.filter((line) => /^(?:PUT|POST \S+\/(?:deployments|versions))/.test(line));

export const uploads = (requests: readonly string[]) =>
  requests.filter((line) => line.includes('/assets/upload'));
