import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { ERROR_MESSAGES } from '../../src/contract/batch.ts';
import { NEUTRAL_FIELD_NAMES } from '../../src/contract/field-names.ts';
import { parseBatches, parseVehicles } from '../../src/contract/parse.ts';
import type { SampleData } from '../../src/sample-service/data/store.ts';
import { REAL_FIELD_NAMES } from '../../src/sample-service/options.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startSampleService } from '../support/sample-service/index.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startSampleService());

const mediaUrl = (dealerId: unknown, { apiKey = service.mediaKey, from = service } = {}): string =>
  `${from.baseUrl}/PublicAPI/GetMediaByDealer?${new URLSearchParams({ apiKey, dealerId: String(dealerId) })}`;

const batchesUrl = (query: Record<string, string>, pathId = '1', from = service): string =>
  `${from.baseUrl}/PublicAPI/MyVideos/v1/cakes/${pathId}?${new URLSearchParams({ customerId: 'C-1001', apiKey: from.batchKey, ...query })}`;

const getJson = async (url: string): Promise<unknown> => (await fetch(url)).json();
const getList = async (url: string): Promise<unknown[]> => (await getJson(url)) as unknown[];

describe('GetMediaByDealer', () => {
  it.each([
    [401, () => mediaUrl(7001, { apiKey: '' })],
    [401, () => mediaUrl(7001, { apiKey: 'wrong' })],
    [400, () => mediaUrl('')],
    [400, () => mediaUrl('7001x')],
    [400, () => mediaUrl('7.001e3')],
    [404, () => mediaUrl(9999)],
  ])('refuses with %i: %s', async (status, url) => {
    const response = await fetch(url());
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ Success: false, Message: expect.any(String) });
  });

  it('accepts a key of another dealer only for that dealer', async () => {
    const dealers = [
      { id: 1, name: 'One', apiKey: 'key-one', vehicles: [] },
      { id: 2, name: 'Two', apiKey: 'key-two', vehicles: [] },
    ];
    await using other = await startSampleService({ data: { dealers, accounts: [] } });
    const status = async (id: number, apiKey: string) =>
      (await fetch(mediaUrl(id, { apiKey, from: other }))).status;
    expect(await status(1, 'key-one')).toBe(200);
    expect(await status(1, 'key-two')).toBe(403);
    expect(await status(1, other.mediaKey)).toBe(403);
  });
});

describe('MyVideos', () => {
  it.each([
    // With both errors, the one about the key comes first.
    [404, { apiKey: 'nope', customerId: 'nobody' }, ERROR_MESSAGES.malformedKey],
    [404, { customerId: 'nobody' }, 'CustomerID does not exist'],
    [401, { apiKey: '00000000-0000-0000-0000-000000000000' }, expect.any(String)],
    [400, { daysOfHistory: 'ten' }, expect.any(String)],
    [400, { daysOfHistory: '-1' }, expect.any(String)],
  ])('refuses with %i: %j', async (status, query, Message) => {
    const response = await fetch(batchesUrl(query as Record<string, string>));
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ Success: false, Message });
  });

  it('returns an account only under its path id', async () => {
    expect((await fetch(batchesUrl({}, '2'))).status).toBe(404);
    expect((await fetch(batchesUrl({ customerId: 'C-1002' }, '2'))).status).toBe(200);
  });
});

describe('every URL in the responses', () => {
  it('exists with the right type', async () => {
    const bodies = await getList(mediaUrl(7001));
    const { accepted } = parseVehicles(bodies, NEUTRAL_FIELD_NAMES);
    const items = accepted.flatMap(({ mediaList }) => mediaList);
    const images = items.filter(({ type }) => type === 'Image');
    const videos = items.filter(({ type }) => type === 'Video');
    expect(images.length).toBeGreaterThan(40);

    // Every URL is requested. Only some pictures are drawn, because HEAD draws them too.
    for (const { mediaUrl: address } of images) {
      const response = await fetch(address, { headers: { 'if-none-match': '*' } });
      expect([address, response.status]).toEqual([address, 304]);
    }
    const pages = videos.flatMap((video) => [
      video.mediaUrl,
      ...(video.hostedVideoUrl ? [video.hostedVideoUrl] : []),
      ...(video.hostedVideoWatchUrl ? [video.hostedVideoWatchUrl] : []),
    ]);
    for (const address of pages) {
      const response = await fetch(address);
      expect([address, response.status]).toEqual([address, 200]);
      expect(response.headers.get('content-type')).toMatch(/^text\/html/);
      const html = await response.text();
      // Everything is loaded from the service itself.
      const hosts = [...html.matchAll(/(?:src|href)="(https?:[^"]+)"/g)].map(
        ([, url]) => url ?? '',
      );
      expect(hosts.length).toBeGreaterThan(0);
      for (const url of hosts) expect(url.startsWith(service.baseUrl)).toBe(true);
    }
    const embedded = videos.find(({ hostedVideoEmbedHtml }) => hostedVideoEmbedHtml);
    expect(embedded?.hostedVideoEmbedHtml).toContain(`src="${embedded?.hostedVideoUrl}"`);
    const poster = await fetch(`${service.baseUrl}/posters/${videos[0]?.id}.jpg`);
    expect(poster.headers.get('content-type')).toBe('image/jpeg');
  });

  it('may be framed by any site and posts only on request', async () => {
    const { accepted } = parseVehicles(await getList(mediaUrl(7001)), NEUTRAL_FIELD_NAMES);
    const address = accepted.flatMap(({ mediaList }) => mediaList).find((i) => i.hostedVideoUrl);
    const quiet = await fetch(address?.hostedVideoUrl ?? '');
    expect(quiet.headers.get('content-security-policy')).toContain('frame-ancestors *');
    expect(quiet.headers.get('x-frame-options')).toBeNull();
    expect(await quiet.text()).not.toContain('postMessage');
    const telling = await fetch(`${address?.hostedVideoUrl}&enablejsapi=1`);
    expect(await telling.text()).toContain('postMessage');
  });

  it('returns 404 if it is not listed', async () => {
    for (const missing of [
      '/pictures/1.jpg',
      '/pictures/x.jpg',
      '/posters/100000001.jpg',
      '/player/100000001',
      '/hosted/embed/dQw4w9WgXcQ',
      '/hosted/watch',
      '/elsewhere',
    ]) {
      expect([missing, (await fetch(service.baseUrl + missing)).status]).toEqual([missing, 404]);
    }
  });

  it('is described at the root and in openapi.json', async () => {
    const root = await (await fetch(service.baseUrl)).text();
    expect(root).toContain('Northgate Cars');
    expect(root).toContain(service.batchKey);
    const description = (await getJson(`${service.baseUrl}/openapi.json`)) as {
      openapi: string;
      paths: Record<string, { get: { parameters: object[]; responses: Record<string, object> } }>;
    };
    expect(description.openapi).toBe('3.1.0');
    expect(Object.keys(description.paths)).toEqual([
      '/PublicAPI/GetMediaByDealer',
      '/PublicAPI/MyVideos/v1/cakes/{id}',
    ]);
    const batches = description.paths['/PublicAPI/MyVideos/v1/cakes/{id}']?.get;
    expect(Object.keys(batches?.responses ?? {})).toEqual(['200', '400', '401', '404']);
    expect(JSON.stringify(batches?.responses['404'])).toContain('"Success"');
    const media = description.paths['/PublicAPI/GetMediaByDealer']?.get;
    expect(media?.parameters).toContainEqual(
      expect.objectContaining({ name: 'dealerId', required: true }),
    );
  });
});

describe('pictures', () => {
  const picture = (id: number): string => `${service.baseUrl}/pictures/${id}.jpg`;

  it.each([
    [100_000_001, { width: 4000, height: 3000 }, {}],
    [100_000_002, { width: 1600, height: 1200 }, { orientation: 6 }],
  ])('%d is a JPEG file of %o, with the tag %o', async (id, size, tag) => {
    service.data.override(id, { ...size, orientation: 1, ...tag });
    const bytes = Buffer.from(await (await fetch(picture(id))).arrayBuffer());
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', ...size, ...tag });
    expect(bytes.length).toBeGreaterThan(80_000);
  });

  it('answer conditional requests, and HEAD without a body', async () => {
    const id = 100_000_003;
    const first = await fetch(picture(id));
    const etag = first.headers.get('etag') ?? '';
    const modified = first.headers.get('last-modified') ?? '';
    const { length } = Buffer.from(await first.arrayBuffer());
    expect(etag).toMatch(/^"[\w-]+"$/);
    const status = async (headers: Record<string, string>) =>
      (await fetch(picture(id), { headers })).status;
    expect(await status({ 'if-none-match': etag })).toBe(304);
    expect(await status({ 'if-none-match': `"other", W/${etag}` })).toBe(304);
    expect(await status({ 'if-none-match': '"other"' })).toBe(200);
    expect(await status({ 'if-modified-since': modified })).toBe(304);
    expect(await status({ 'if-modified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' })).toBe(200);
    expect(await status({ 'if-none-match': '"other"', 'if-modified-since': modified })).toBe(200);
    const head = await fetch(picture(id), { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(length));
    expect((await head.arrayBuffer()).byteLength).toBe(0);
  });
});

it('real names replace the generated ones in both operations', async () => {
  await using from = await startSampleService({ fieldNames: REAL_FIELD_NAMES });
  const media = await getList(mediaUrl(7001, { from }));
  const batches = await getList(batchesUrl({ daysOfHistory: '365' }, '1', from));
  const text = JSON.stringify([media, batches]);
  for (const name of ['youTubeUrl', 'youTubeEmbedHtml', 'youTubeWatchUrl']) {
    expect(text).toContain(`"${name}"`);
  }
  expect(text).not.toMatch(/"hostedVideo|"SocialClicks|"SearchClicks/);
  const parsed = parseVehicles(media, REAL_FIELD_NAMES);
  expect([parsed.quarantined, parsed.unknownFields]).toEqual([[], {}]);
  expect(parsed.accepted.flatMap((v) => v.mediaList).some((i) => i.hostedVideoUrl)).toBe(true);
  expect(parseBatches(batches, REAL_FIELD_NAMES).quarantined).toEqual([]);
});

describe('custom data', () => {
  const vehicle = {
    vrm: 'TE57 ING',
    dateUpdated: '2026-01-01T00:00:00Z',
    mediaList: [{ id: 7, type: 'Image', label: 'Image 1', mediaUrl: '{base_url}/pictures/7.jpg' }],
  };

  it('can be a literal and change between two requests', async () => {
    const data: SampleData = {
      dealers: [{ id: 5, name: 'Five', vehicles: [vehicle] }],
      accounts: [],
      pictures: { 7: { width: 640, height: 480 } },
    };
    await using from = await startSampleService({ data });
    const expected = {
      ...vehicle,
      mediaList: [{ ...vehicle.mediaList[0], mediaUrl: `${from.baseUrl}/pictures/7.jpg` }],
    };
    expect(await getJson(mediaUrl(5, { from }))).toEqual([expected]);
    const bytes = await (await fetch(`${from.baseUrl}/pictures/7.jpg`)).arrayBuffer();
    expect(await sharp(Buffer.from(bytes)).metadata()).toMatchObject({ width: 640, height: 480 });
    from.data.dealers[0]?.vehicles.pop();
    expect(await getJson(mediaUrl(5, { from }))).toEqual([]);
    expect(data.dealers[0]?.vehicles).toHaveLength(1);
    expect((await fetch(`${from.baseUrl}/pictures/7.jpg`)).status).toBe(404);
  });

  it('can be a folder, and violations of the interface are reported', async () => {
    const folder = tempFolder();
    await expect(startSampleService({ dataFolder: folder })).rejects.toThrow(/No sample data/);
    await mkdir(path.join(folder, 'dealers'));
    await mkdir(path.join(folder, 'accounts'));
    await writeFile(path.join(folder, 'dealers/31.json'), JSON.stringify([vehicle]));
    const account = { customerId: 'X', pathId: 'p', batches: [] };
    await writeFile(path.join(folder, 'accounts/x.json'), JSON.stringify(account));
    await using from = await startSampleService({ dataFolder: folder });
    expect(await getJson(mediaUrl(31, { from }))).toHaveLength(1);
    expect(await getJson(batchesUrl({ customerId: 'X' }, 'p', from))).toEqual([]);
    await writeFile(path.join(folder, 'dealers/32.json'), '[{"vrm":1}]');
    await expect(startSampleService({ dataFolder: folder })).rejects.toMatchObject({
      code: 'sample-data',
    });
  });
});

describe('start and close', () => {
  it('reports a port in use with a distinct error', async () => {
    await expect(startSampleService({ port: service.port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });

  it('ends hanging requests and idle connections immediately', async () => {
    const sample = await startSampleService();
    sample.faults.set({ hang: true });
    const hanging = fetch(sample.baseUrl).catch((error: unknown) => error);
    const idle = connect(sample.port, '127.0.0.1');
    await new Promise((resolve) => idle.once('connect', resolve));
    const ended = new Promise((resolve) => idle.once('close', resolve));
    while (sample.requests.list().length === 0) await new Promise((r) => setTimeout(r, 5));
    const start = performance.now();
    await sample[Symbol.asyncDispose]();
    expect(performance.now() - start).toBeLessThan(4000);
    expect(await hanging).toBeInstanceOf(Error);
    await ended;
  });
});
