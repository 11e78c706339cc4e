import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { enginesOf } from '../../src/config/engines.ts';
import { fingerprintOf, outputName } from '../../src/images/fingerprint.ts';
import { sourceKey } from '../../src/images/plan.ts';
import { recipeBook } from '../../src/images/recipe-book.ts';
import { ThumbnailStore } from '../../src/images/stores/thumbnail-store.ts';
import { PUBLISHED_TIMES } from '../../src/record/published-records.ts';
import { build, configFor, readTree, temporaryFolder } from '../support/build.ts';
import { openBucket, openCeph } from '../support/ceph.ts';
import { Fleet, type FleetEnv, readState } from '../support/fleet.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startFront } from '../support/front.ts';
import { FIRST_NIGHT, mediaConfig } from '../support/image-pipeline.ts';
import { startPictureHost } from '../support/picture-host.ts';
import { startRedis } from '../support/redis.ts';
import { startService } from '../support/service.ts';

const PER_VEHICLE = 5;
const PICTURES = 20;
const OUTPUTS = 2;
const ceph = openCeph();
const proxy = await forAllTests(startFront(ceph.origin));
const redis = await forAllTests(startRedis());
const host = await forAllTests(startPictureHost(PICTURES));
const expected = await Fleet.alone(host, PER_VEHICLE);
let buckets = 0;

/** A separate bucket, reached through the proxy. */
async function freshBucket(): Promise<FleetEnv> {
  host.asked.length = 0;
  host.onRequest = undefined;
  proxy.decide = () => undefined;
  const env = await ceph.bucket(`pictures-${buckets++}`, proxy.url);
  proxy.log.length = 0;
  return env;
}

function openStore(env: FleetEnv): ThumbnailStore {
  const { store } = enginesOf(env);
  if (!store) throw new Error('no store');
  return new ThumbnailStore(store);
}

/** The outputs in a store, as a cache folder would list them. */
async function storeState(env: FleetEnv): Promise<Map<string, string>> {
  await using bucket = openBucket(env);
  const state = new Map<string, string>();
  for (const name of await bucket.names('files/')) {
    const bytes = (await bucket.client.get(name))?.bytes ?? '';
    state.set(`media/${name}`, createHash('sha256').update(bytes).digest('hex'));
  }
  return state;
}

/** Outputs of a cache folder. A store does not keep our file times. */
const outputsOf = (state: Map<string, string>) =>
  new Map(
    [...state].flatMap(([name, text]) =>
      name.startsWith('media/files/') ? [[name, text.split(' ')[0] ?? '']] : [],
    ),
  );

const HASH = '0123456789abcdef0123';
const nameOf = (width: number) => outputName(HASH, `-${width}-aaaaaa.jpg`);

describe('a store', () => {
  it('returns outputs by name and by picture', async () => {
    await using store = openStore(await freshBucket());
    const bytes = Buffer.from('one');
    expect(await store.read(nameOf(64))).toMatchObject({ missing: true });
    expect(await store.put(nameOf(64), bytes)).toBe(bytes);
    // Existing objects are kept.
    expect(Buffer.from(await store.put(nameOf(64), Buffer.from('two')))).toEqual(bytes);
    expect(await store.read(nameOf(64))).toMatchObject({ bytes });
    await store.put('99/0000000000000000-64-aaaaaa.jpg', bytes);
    expect(await store.outputsOf(HASH)).toEqual({ '-64-aaaaaa.jpg': fingerprintOf(bytes) });
    await store.remove([nameOf(64), 'never/there']);
    expect(await store.outputsOf(HASH)).toEqual({});
  });

  it('accepts one of several writers', async () => {
    await using store = openStore(await freshBucket());
    const puts = Array.from({ length: 8 }, (_, number) =>
      store.put(nameOf(64), Buffer.from(`${number}`)),
    );
    const stored = (await Promise.all(puts)).map((bytes) => Buffer.from(bytes).toString());
    expect(new Set(stored).size).toBe(1);
  });

  it('retries after 503, an interrupted response and an interrupted request', async () => {
    await using store = openStore(await freshBucket());
    const bytes = Buffer.alloc(200_000, 7);
    for (const fault of ['503', 'cut-request', 'cut-answer'] as const) {
      let times = 0;
      proxy.decide = () => (times++ < 2 ? fault : undefined);
      await store.put(fault, bytes);
      times = 0;
      expect(await store.read(fault)).toMatchObject({ bytes });
    }
  });

  it('reports the problem without key or URL', async () => {
    const env = await freshBucket();
    await using wrong = openStore({ ...env, AWS_SECRET_ACCESS_KEY: 'not-the-key-at-all' });
    const refused = await wrong.read(nameOf(64)).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'store-refused', exitCode: 3 });
    proxy.decide = () => '503';
    await using tired = openStore(env);
    const away = await tired.read(nameOf(64)).catch((error: unknown) => error);
    expect(away).toMatchObject({ code: 'store-unreachable' });
    for (const error of [refused, away]) {
      const { why, fix, message, stack } = error as { why: string; fix: string } & Error;
      const printed = [why, fix, message, stack].join(' ');
      expect(printed).not.toContain(env.AWS_SECRET_ACCESS_KEY);
      expect(printed).not.toContain('not-the-key-at-all');
      expect(printed).not.toContain(env.AWS_ACCESS_KEY_ID);
    }
  });
});

describe('one machine with a store', () => {
  it('uploads only changes, starts from the store on an empty disk, and replaces damaged outputs', async () => {
    const env = await freshBucket();
    await using fleet = await Fleet.open(host, env);
    const sources = fleet.sources(PER_VEHICLE);
    await fleet.run(sources);
    expect(await readState(fleet.cacheDir)).toEqual(expected);
    expect(await storeState(env)).toEqual(outputsOf(expected));
    proxy.log.length = 0;
    await fleet.run(sources);
    expect(proxy.log).toEqual([]);

    await rm(path.join(fleet.cacheDir, 'media'), { recursive: true });
    host.asked.length = 0;
    const { counts } = await fleet.run(sources);
    expect(host.asked).toEqual([]);
    expect(await storeState(env)).toEqual(outputsOf(expected));
    expect(counts).toMatchObject({ unchanged: PICTURES, outputsMade: 0 });
    expect(await readState(fleet.cacheDir)).toEqual(expected);

    await using store = openBucket(env);
    const [lost = '', torn = ''] = await store.names('files/');
    await store.client.delete(lost);
    await store.client.put(torn, 'torn');
    await rm(path.join(fleet.cacheDir, 'media'), { recursive: true });
    expect((await fleet.run(sources)).failures).toEqual([]);
    expect(await readState(fleet.cacheDir)).toEqual(expected);
    expect(await storeState(env)).toEqual(outputsOf(expected));
  });

  it('deletes only outputs that no record names', async () => {
    const env = await freshBucket();
    await using fleet = await Fleet.open(host, env);
    const sources = fleet.sources(PER_VEHICLE);
    await fleet.run(sources);
    await using store = openBucket(env);
    // Just uploaded by a worker for another build.
    const foreign = 'files/00/000000000000000000-64-000000.jpg';
    await store.client.put(foreign, 'x');
    const [first] = sources;
    // Equal bytes at another URL, for the other dealer.
    const twin = {
      ...(first as (typeof sources)[number]),
      key: sourceKey(2, { id: 999, url: first?.url ?? '' }),
    };
    await fleet.run([...sources, twin]);
    const before = await store.names('files/');
    // Without the first vehicle. The other dealer shows one of its pictures.
    const left = sources.filter(({ vehicle }) => vehicle !== first?.vehicle);
    await fleet.run([...left, twin]);
    const after = await store.names('files/');
    expect(after).toContain(foreign);
    expect(before.length - after.length).toBe((PER_VEHICLE - 1) * OUTPUTS);
  });

  it('keeps the thumbnails of two configurations whose recipes differ', async () => {
    const env = await freshBucket();
    await using fleet = await Fleet.open(host, env);
    const sources = fleet.sources(PER_VEHICLE);
    const { picture } = recipeBook(mediaConfig({ widths: [64, 192] }));
    const wide = sources.map((source) => ({ ...source, recipes: picture }));
    const other = { cacheDir: path.join(fleet.folder, 'other') };
    await fleet.run(sources);
    await fleet.run(wide, other);
    for (const [shown, options] of [
      [sources, {}],
      [wide, other],
    ] as const) {
      const { cacheDir } = { cacheDir: fleet.cacheDir, ...options };
      await rm(path.join(cacheDir, 'media'), { recursive: true });
      host.asked.length = 0;
      const { counts } = await fleet.run(shown, options);
      expect(counts).toMatchObject({ unchanged: PICTURES, outputsMade: 0 });
      expect(host.asked).toEqual([]);
    }
  });
});

describe('workers with a store', () => {
  const openFleet = async () => {
    await redis.command('FLUSHALL');
    const env = { ...(await freshBucket()), QUEUE_URL: redis.url };
    const fleet = await Fleet.open(host, env);
    const sources = fleet.sources(PER_VEHICLE);
    return {
      env,
      fleet,
      sources,
      [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
    };
  };
  const putsOfOutputs = () =>
    proxy.log.filter(({ method, path: name }) => method === 'PUT' && name.includes('/files/'));

  it('upload each output once, with the same bytes on the coordinator and in the store', async () => {
    await using at = await openFleet();
    await Promise.all([at.fleet.worker(), at.fleet.worker()]);
    const { counts, failures } = await at.fleet.run(at.sources);
    expect(failures).toEqual([]);
    expect(counts).toMatchObject({ downloaded: PICTURES, outputsMade: PICTURES * OUTPUTS });
    expect(await readState(at.fleet.cacheDir)).toEqual(expected);
    expect(await storeState(at.env)).toEqual(outputsOf(expected));
    expect(putsOfOutputs()).toHaveLength(PICTURES * OUTPUTS);
    await using store = openBucket(at.env);
    expect((await store.names()).filter((name) => !name.startsWith('files/'))).toEqual([]);
  });

  it('write the same bytes if the store fails and a worker is killed', async () => {
    await using at = await openFleet();
    const faults = ['503', 'cut-answer', 'cut-request'] as const;
    let cutPuts = 0;
    proxy.decide = (number, method, name) => {
      const fault = number % 4 === 1 ? faults[Math.floor(number / 4) % 3] : undefined;
      if (fault === 'cut-answer' && method === 'PUT' && name.includes('/files/')) cutPuts++;
      return fault;
    };
    const [victim] = await Promise.all([at.fleet.worker(), at.fleet.worker()]);
    let killed: Promise<void> | undefined;
    const { failures } = await at.fleet.run(at.sources, {
      onProgress: ({ done }) => {
        if (done > 0) killed ??= victim?.kill();
      },
    });
    await killed;
    expect(failures).toEqual([]);
    proxy.decide = () => undefined;
    expect(await readState(at.fleet.cacheDir)).toEqual(expected);
    expect(await storeState(at.env)).toEqual(outputsOf(expected));
    // A retry checks first, so only uploads in flight are repeated: one with an interrupted response, and
    // those of the dead worker's encoder.
    const again = putsOfOutputs().filter(({ status }) => status === 412);
    expect(again.length).toBeLessThanOrEqual(cutPuts + 2 * OUTPUTS);
  });
});

it('a full build by workers and on an empty disk publishes the same site as one process', async () => {
  await redis.command('FLUSHALL');
  const env: FleetEnv = { ...(await freshBucket()), QUEUE_URL: redis.url };
  await using service = await startService({ dealers: 2, vehicles: 3, images: 4 });
  const config = configFor(service);
  await using alone = await temporaryFolder();
  await using shared = await temporaryFolder();
  const single = await build(config, alone.path, { now: FIRST_NIGHT });
  expect(single.error).toBeUndefined();

  await using fleet = await Fleet.open({ baseUrl: service.baseUrl, urls: [] }, env);
  await Promise.all([fleet.worker(), fleet.worker()]);
  const engines = enginesOf(env);
  const first = await build(config, shared.path, { engines, now: FIRST_NIGHT });
  expect(first.error).toBeUndefined();
  expect(first.report.media).toEqual(single.report.media);
  // The fingerprint of a list covers the searched keys, including the keys of the store.
  const siteIn = async (folder: string) => {
    const tree = await readTree(folder);
    const times = tree.get(PUBLISHED_TIMES) ?? '';
    return tree.set(PUBLISHED_TIMES, times.replace(/"listMark": "[^"]+"/g, '"listMark"'));
  };
  const site = await siteIn(single.output);
  expect(site.get(PUBLISHED_TIMES)).toContain('"listMark"');
  expect(site.size).toBeGreaterThan(20);
  expect(await siteIn(first.output)).toEqual(site);

  await rm(path.join(shared.path, 'cache'), { recursive: true });
  service.requests.clear();
  const second = await build(config, shared.path, { engines, now: FIRST_NIGHT });
  expect(second.error).toBeUndefined();
  expect(service.requests.list('picture')).toEqual([]);
  expect(await siteIn(second.output)).toEqual(site);
  const printed = JSON.stringify([
    first.report,
    first.lines,
    ...fleet.workers.map((w) => w.output()),
  ]);
  expect(printed).not.toContain(env.AWS_SECRET_ACCESS_KEY);
  expect(printed).not.toContain(env.AWS_ACCESS_KEY_ID);
});
