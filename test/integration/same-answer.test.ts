import { readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LoadedConfig, resolveConfig } from '../../src/config/load.ts';
import type { UserConfig } from '../../src/config/schema.ts';
import { NEUTRAL_FIELD_NAMES } from '../../src/contract/field-names.ts';
import { acceptance } from '../../src/stock/acceptance.ts';
import { loadStock } from '../../src/stock/load.ts';
import { readSnapshot, snapshotFolder } from '../../src/stock/snapshot.ts';
import { temporaryFolder } from '../support/build.ts';
import { writeSnapshot } from '../support/snapshots.ts';

const NIGHT = Date.UTC(2026, 2, 2);
const DAY = 86_400_000;

let body = '';
let server: Server;
beforeAll(async () => {
  server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

const image = (id: number, more: object = {}) => ({
  id,
  type: 'Image',
  label: `Image ${id}`,
  mediaUrl: `https://m.example/${id}.jpg`,
  ...more,
});
const vehicle = (vrm: string, mediaList: unknown[], more: object = {}) => ({
  vrm,
  dateUpdated: '2026-03-01T01:00:00+01:00',
  mediaList,
  ...more,
});
/** With something of everything that is told of an answer. */
const ODD = [
  vehicle('A', [image(1), image(2, { id: 'two' }), image(3, { type: 'Sound' })], { odd: 1 }),
  vehicle('A', [image(4, { mediaUrl: 'javascript:1' })], { dateUpdated: '2026-02-01T00:00:00Z' }),
  vehicle('B', [image(5, { type: 'Video', tubeUrl: 'https://tube.example/5' })]),
  vehicle('C', [], { dateUpdated: 'yesterday' }),
  ...Array.from({ length: 8 }, (_, index) => vehicle(`V${index}`, [image(10 + index)])),
];

/** What names the configuration of `night`. */
const CONFIGURATION = { file: 'test', site: { url: 'https://cars.example' } } as LoadedConfig;

async function night(
  cacheDir: string,
  days: number,
  {
    service,
    key = 'bench-key-0123456789',
  }: { service?: Partial<UserConfig['service']>; key?: string } = {},
) {
  const { port } = server.address() as AddressInfo;
  const config = resolveConfig(
    {
      service: { baseUrl: `http://127.0.0.1:${port}`, retries: 0, ...service },
      site: { title: 'T', url: 'https://cars.example' },
      dealers: [{ id: 7, name: 'Seven', slug: 'seven' }],
    } satisfies UserConfig,
    { file: 'test', keysFor: 'dealers', env: { MEDIA_API_KEY: key } },
  );
  const [stock] = await loadStock({ config, cacheDir, now: NIGHT + days * DAY });
  if (!stock) throw new Error('no stock');
  await stock.accept?.();
  const { vehicles, counts, source, takenAt, problem } = stock;
  return { vehicles, counts, source, takenAt, problem };
}

describe('an answer that is the last one, byte for byte', () => {
  it('gives the same vehicles, and tells the same of them', async () => {
    await using folder = await temporaryFolder();
    body = JSON.stringify(ODD);
    const first = await night(folder.path, 0);
    expect(first.counts).toMatchObject({
      vehicles: { received: 12, accepted: 11, quarantined: 1, duplicates: 1 },
      duplicateVrms: ['A'],
      unknownTypes: { Sound: 1 },
      unknownFields: { odd: 1, 'mediaList[].tubeUrl': 1 },
    });
    const again = await night(folder.path, 1);
    expect(again).toEqual({ ...first, takenAt: new Date(NIGHT + DAY).toISOString() });
    // Another byte, and it is read again.
    body += '\n';
    expect((await night(folder.path, 1)).vehicles).toEqual(first.vehicles);
  });

  it('is not read again', async () => {
    await using folder = await temporaryFolder();
    body = JSON.stringify(ODD);
    await night(folder.path, 0);
    const store = snapshotFolder(folder.path, CONFIGURATION);
    const read = await readSnapshot(store, 7, acceptance(NEUTRAL_FIELD_NAMES));
    if (read.found !== 'good' || !read.snapshot.answer) throw new Error('no snapshot');
    const { answer, ...rest } = read.snapshot;
    const [, ...others] = rest.records;
    await writeSnapshot(store, { ...rest, answer, records: others });
    // Taken from the snapshot, which knows one vehicle less; with another byte it is read.
    expect((await night(folder.path, 1)).vehicles).toHaveLength(9);
    body += ' ';
    expect((await night(folder.path, 1)).vehicles).toHaveLength(10);
  });

  it('is read again where the configuration reads it in another way', async () => {
    await using folder = await temporaryFolder();
    body = JSON.stringify(ODD);
    const video = ({ vehicles }: Awaited<ReturnType<typeof night>>) =>
      [...vehicles].flatMap(({ media }) => media).find(({ kind }) => kind === 'video');
    expect(video(await night(folder.path, 0))).not.toHaveProperty('hostedUrl');
    const named = { fieldNames: { hostedVideo: 'tube' } };
    expect(video(await night(folder.path, 1, { service: named }))).toHaveProperty(
      'hostedUrl',
      'https://tube.example/5',
    );
  });

  it('gives its vehicles again, and says so where somebody took them', async () => {
    await using folder = await temporaryFolder();
    body = JSON.stringify(ODD);
    for (const days of [0, 1]) {
      const { vehicles } = await night(folder.path, days);
      const before = [...vehicles];
      vehicles.release();
      expect([...vehicles]).toEqual(before);
      expect([...vehicles][0]).not.toBe(before[0]);
    }
    const { vehicles } = await night(folder.path, 2);
    vehicles.release();
    const store = snapshotFolder(folder.path, CONFIGURATION);
    for (const name of await readdir(store)) {
      if (name.endsWith('.records')) await rm(path.join(store, name));
    }
    expect(() => [...vehicles]).toThrow('no longer as this build wrote it');
  });

  it('passes the same gates as ever', async () => {
    await using folder = await temporaryFolder();
    body = JSON.stringify(ODD);
    await night(folder.path, 0);
    const small = { maxVehicles: 11 };
    expect(await night(folder.path, 1, { service: small })).toMatchObject({
      source: 'snapshot',
      problem: { code: 'stock-too-many-vehicles' },
    });
    // A key that was not ours when the answer was taken.
    body = JSON.stringify([...ODD, vehicle('KEY', [image(99, { label: 'new-key-9876543210' })])]);
    await night(folder.path, 2);
    await expect(night(folder.path, 3, { key: 'new-key-9876543210' })).rejects.toMatchObject({
      code: 'service-answer-holds-key',
    });
  });
});
