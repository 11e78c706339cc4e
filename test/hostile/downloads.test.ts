import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MediaConfig, UserConfig } from '../../src/config/schema.ts';
import { type Download, Downloader } from '../../src/download/download.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { mediaConfig } from '../support/image-pipeline.ts';
import { INWARD_SPELLINGS } from './corpus/addresses.ts';
import { pathOf, SERVERS } from './corpus/servers.ts';
import { startRawServer } from './raw-server.ts';

/** Names that the tests resolve to chosen addresses. */
const NAMES = new Map<string, { address: string; family: number }[]>();
const real = dns.lookup;
const lookup = (
  name: string,
  options: dns.LookupOptions,
  callback: (...args: unknown[]) => void,
) => {
  const known = NAMES.get(name);
  if (known) callback(null, known);
  else real(name, options as dns.LookupAllOptions, callback as never);
};
Object.assign(dns, { lookup });
syncBuiltinESMExports();
afterAll(() => {
  Object.assign(dns, { lookup: real });
  syncBuiltinESMExports();
});

const mediaOf = (settings: UserConfig['media'] = {}, limits: Partial<MediaConfig> = {}) =>
  mediaConfig(settings, {
    timeout: 3000,
    stallTimeout: 400,
    maxBytes: 100_000,
    downloads: 64,
    ...limits,
  });

const codeOf = (result: Download): string => (result.kind === 'failed' ? result.code : result.kind);

const CASES = Object.entries(SERVERS).flatMap(([becomes, all]) =>
  Object.entries(all).map(([name, act]) => ({ name, act, becomes })),
);

const service = await forAllTests(
  startRawServer((socket, path) => {
    const found = CASES.find(({ name }) => pathOf(name) === path.split('?')[0]);
    if (found) return found.act(socket, path);
    const location = decodeURIComponent(path.slice('/to/'.length));
    socket.end(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`);
  }),
);
/** A server on this machine that must not be reached. */
const inner = await forAllTests(
  startRawServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret')),
);
const base = service.url;

describe('a picture server that', () => {
  let downloader: Downloader;
  beforeAll(() => {
    // Long enough for a busy machine. All servers are asked at once.
    downloader = new Downloader(base, mediaOf({}, { timeout: 6000, stallTimeout: 1000 }));
  });
  afterAll(() => downloader[Symbol.asyncDispose]());

  it.concurrent.each(CASES)('$name: $becomes', async ({ name, becomes }) => {
    const start = performance.now();
    const result = await downloader.get(`${base}${pathOf(name)}`);
    expect(becomes.split('|')).toContain(codeOf(result));
    expect(performance.now() - start).toBeLessThan(15_000);
    if (result.kind === 'bytes') expect(result.bytes.length).toBeLessThanOrEqual(100_000);
    if (result.kind === 'failed') expect(result.message.length).toBeLessThan(200);
  });
});

const getAll = (downloader: Downloader, url: string, pictures: number) =>
  Promise.all(Array.from({ length: pictures }, (_, number) => downloader.get(`${url}/${number}`)));

it('a host that hangs gets one try for each picture, until it responds again', async () => {
  let hangs = true;
  await using server = await startRawServer((socket) => {
    if (!hangs) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx');
  });
  const media = mediaOf({}, { timeout: 60_000, stallTimeout: 500 });
  await using downloader = new Downloader(server.url, media);
  const triesFor = async (pictures: number) => {
    const before = server.requests.length;
    for (const result of await getAll(downloader, server.url, pictures)) {
      expect(codeOf(result)).toBe(hangs ? 'download-stalled' : 'bytes');
    }
    return server.requests.length - before;
  };
  expect(await triesFor(6)).toBe(18);
  expect(await triesFor(1)).toBe(3);
  expect(await triesFor(9)).toBe(9);
  hangs = false;
  expect(await triesFor(1)).toBe(1);
  hangs = true;
  expect(await triesFor(1)).toBe(3);
});

it('a host that sends single bytes without end gets less time for each picture', async () => {
  await using server = await startRawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n');
    const drip = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(drip));
  });
  await using downloader = new Downloader(server.url, mediaOf({}, { timeout: 6000 }));
  const timeFor = async (pictures: number) => {
    const start = performance.now();
    for (const result of await getAll(downloader, server.url, pictures))
      expect(codeOf(result)).toBe('download-timeout');
    return performance.now() - start;
  };
  expect(await timeFor(20)).toBeGreaterThan(5000);
  expect(await timeFor(1)).toBeLessThan(4000);
});

describe('internal addresses', () => {
  beforeEach(inner.reset);
  it.each(INWARD_SPELLINGS)('as %s (%s) get no connection, request or redirect', async (host) => {
    const target = `http://${host}:${inner.port}/x.jpg`;
    // Listed explicitly, so the test covers the guard of addresses and not the list of hosts.
    const media = mediaOf({ hosts: ['*', new URL(target).host.replace(/\.(?=:)/, '')] });
    await using downloader = new Downloader('https://media.example', media);
    // `localhost.` may be unknown to the resolver. An IP address is refused before a request.
    const refused = ['download-address', 'download-host'];
    expect(host === 'localhost.' ? [...refused, 'download-network'] : refused).toContain(
      codeOf(await downloader.get(target)),
    );
    await using redirected = new Downloader(base, media);
    const result = await redirected.get(`${base}/to/${encodeURIComponent(target)}`);
    // A header contains bytes: a non-ASCII name arrives as another host that does not resolve.
    expect([...refused, 'download-network', 'download-timeout']).toContain(codeOf(result));
    expect(inner.connections()).toBe(0);
  });

  const resolves = async (
    name: string,
    addresses: string[],
    media = mediaOf({ hosts: [`${name}:${inner.port}`] }),
  ) => {
    NAMES.set(
      name,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
    await using downloader = new Downloader('https://media.example', media);
    return await downloader.get(`http://${name}:${inner.port}/x.jpg`);
  };

  it.each([
    ['loopback', ['127.0.0.1']],
    ['loopback as IPv6', ['::1']],
    ['mapped loopback', ['::ffff:127.0.0.1']],
    ['compatible loopback', ['::7f00:1']],
    ['this host', ['0.0.0.0']],
    ['private addresses of both families', ['10.0.0.1', 'fd00::1']],
    ['the metadata service', ['169.254.169.254']],
    ['nothing', []],
  ])('as a name that resolves to %s get no connection', async (what, addresses) => {
    const result = await resolves(`${what.toLowerCase().replaceAll(' ', '-')}.example`, addresses);
    expect(codeOf(result)).toBe('download-address');
    expect(inner.connections()).toBe(0);
  });

  it('behind a name that is also public get no connection: only the public address is tried', async () => {
    // From the range for documentation: no host responds. But it is permitted, and loopback is not.
    const media = mediaOf(
      { hosts: [`mixed.example:${inner.port}`], privateNetworks: ['192.0.2.0/24'] },
      { timeout: 1000 },
    );
    const result = await resolves('mixed.example', ['127.0.0.1', '192.0.2.1'], media);
    expect(['download-network', 'download-timeout']).toContain(codeOf(result));
    expect(inner.connections()).toBe(0);
  });

  it('inside a configured network are reachable, which proves the guard', async () => {
    const media = mediaOf({
      hosts: [`named.example:${inner.port}`],
      privateNetworks: ['127.0.0.0/8'],
    });
    expect(codeOf(await resolves('named.example', ['127.0.0.1'], media))).toBe('bytes');
    expect(inner.connections()).toBe(1);
  });

  it('on this machine are limited to the port of the service', async () => {
    const hosts = [`127.0.0.1:${inner.port}`, `localhost:${inner.port}`];
    await using downloader = new Downloader(base, mediaOf({ hosts }));
    for (const host of hosts) {
      expect(codeOf(await downloader.get(`http://${host}/`))).toBe('download-address');
    }
    expect(codeOf(await downloader.get(`${base}/answers`))).toBe('bytes');
  });
});

describe('a download', () => {
  it('returns its connection however it ends', async () => {
    // One connection, and a server that never closes it.
    const media = mediaOf({}, { downloads: 1, timeout: 20_000, stallTimeout: 15_000 });
    await using downloader = new Downloader(base, media);
    for (const name of [
      'sends a body without end',
      'has an error page without end',
      'redirects with a body without end',
    ]) {
      const start = performance.now();
      await downloader.get(`${base}${pathOf(name)}`);
      expect(codeOf(await downloader.get(`${base}/answers`))).toBe('bytes');
      expect(performance.now() - start).toBeLessThan(10_000);
    }
  });

  it('sends no secret and no data that could track a visitor', async () => {
    service.requests.length = 0;
    await using downloader = new Downloader(base, mediaOf());
    await downloader.get(`${base}/answers`, '"1"');
    const [head = ''] = service.requests;
    const names = head
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(':')[0]?.toLowerCase())
      .filter(Boolean);
    expect(names.sort()).toEqual(
      ['accept', 'accept-encoding', 'connection', 'host', 'if-none-match', 'user-agent'].sort(),
    );
  });

  it('of an invalid URL fails like any other download', async () => {
    await using downloader = new Downloader(base, mediaOf());
    expect(codeOf(await downloader.get('http://['))).toBe('download-host');
  });
});
