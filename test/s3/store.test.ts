import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enginesOf } from '../../src/config/engines.ts';
import { sourceKey } from '../../src/images/plan.ts';
import { S3Store } from '../../src/images/stores/s3-store.ts';
import { PUBLISHED_TIMES } from '../../src/record/published-records.ts';
import type { SampleService } from '../../src/sample-service/index.ts';
import { build, configFor, readTree, temporaryFolder } from '../support/build.ts';
import { type Ceph, startCeph } from '../support/ceph.ts';
import { type FlakyProxy, startFlakyProxy } from '../support/flaky-proxy.ts';
import { Fleet, type FleetEnv, readState } from '../support/fleet.ts';
import { FIRST_NIGHT } from '../support/media-line.ts';
import { type PictureHost, startPictureHost } from '../support/picture-host.ts';
import { type Redis, startRedis } from '../support/redis.ts';
import { startService } from '../support/service.ts';

const PER_VEHICLE = 5;
const PICTURES = 20;
const OUTPUTS = 2;
let ceph: Ceph;
let proxy: FlakyProxy;
let redis: Redis;
let host: PictureHost;
let buckets = 0;

beforeAll(async () => {
  ceph = await startCeph();
  proxy = await startFlakyProxy(ceph.origin);
  redis = await startRedis();
  host = await startPictureHost(PICTURES);
});
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await host?.[Symbol.asyncDispose]();
  await redis?.[Symbol.asyncDispose]();
  await ceph?.[Symbol.asyncDispose]();
});

/** A bucket of its own, reached through the proxy. */
async function freshBucket(): Promise<FleetEnv> {
  host.asked.length = 0;
  host.onRequest = undefined;
  proxy.decide = () => undefined;
  const env = await ceph.bucket(`pictures-${buckets++}`, proxy.origin);
  proxy.log.length = 0;
  return env;
}

const openStore = (env: FleetEnv): S3Store => {
  const { store } = enginesOf(env);
  if (!store) throw new Error('no store');
  return new S3Store(store);
};

/** The outputs in a store, as a cache folder would tell them. */
async function storeState(env: FleetEnv): Promise<Map<string, string>> {
  const store = openStore(env);
  const names = (await store.list('files/')).sort();
  const state = new Map<string, string>();
  for (const name of names) {
    const bytes = (await store.get(name)) ?? new Uint8Array();
    state.set(`media/${name}`, createHash('sha256').update(bytes).digest('hex'));
  }
  await store.close();
  return state;
}

/** Those of a cache folder; a store knows no times of ours. */
const outputsOf = (state: Map<string, string>) =>
  new Map(
    [...state].flatMap(([name, text]) =>
      name.startsWith('media/files/') ? [[name, text.split(' ')[0] ?? '']] : [],
    ),
  );

describe('S3Store', () => {
  it('gets, puts, lists and removes', async () => {
    const store = openStore(await freshBucket());
    expect(await store.get('manifests/1.json')).toBeUndefined();
    expect(await store.has('manifests/1.json')).toBe(false);
    expect(await store.put('manifests/1.json', Buffer.from('one'))).toBe(true);
    expect(await store.put('manifests/1.json', Buffer.from('two'), { once: true })).toBe(false);
    expect(Buffer.from((await store.get('manifests/1.json')) ?? '').toString()).toBe('one');
    expect(await store.put('manifests/1.json', Buffer.from('three'))).toBe(true);
    expect(await store.has('manifests/1.json')).toBe(true);
    await store.put('work/1/a.json', Buffer.from('x'));
    expect(await store.list('manifests/')).toEqual(['manifests/1.json']);
    expect((await store.list('')).sort()).toEqual(['manifests/1.json', 'work/1/a.json']);
    await store.remove(['manifests/1.json', 'work/1/a.json', 'never/there']);
    expect(await store.list('')).toEqual([]);
    await store.close();
  });

  it('lists more than one page of names', async () => {
    const store = openStore(await freshBucket());
    const names = Array.from({ length: 1100 }, (_, number) => `work/1/${number}.json`);
    for (let start = 0; start < names.length; start += 50) {
      await Promise.all(
        names.slice(start, start + 50).map((name) => store.put(name, Buffer.from('x'))),
      );
    }
    expect((await store.list('work/')).sort()).toEqual(names.sort());
    await store.close();
  });

  it('lets one of several writers win where the name is to be written once', async () => {
    const store = openStore(await freshBucket());
    const puts = Array.from({ length: 8 }, (_, number) =>
      store.put('files/a', Buffer.from(`${number}`), { once: true }),
    );
    expect((await Promise.all(puts)).filter(Boolean)).toHaveLength(1);
    await store.close();
  });

  it('asks again after 503, a cut answer and a cut request', async () => {
    const store = openStore(await freshBucket());
    const bytes = Buffer.alloc(200_000, 7);
    for (const fault of ['503', 'cut-request', 'cut-answer'] as const) {
      let times = 0;
      proxy.decide = () => (times++ < 2 ? fault : undefined);
      await store.put(`files/${fault}`, bytes);
      times = 0;
      expect(Buffer.from((await store.get(`files/${fault}`)) ?? '').equals(bytes)).toBe(true);
    }
    await store.close();
  });

  it('says what is wrong, without key or address', async () => {
    const env = await freshBucket();
    const wrong = openStore({ ...env, AWS_SECRET_ACCESS_KEY: 'not-the-key-at-all' });
    const refused = await wrong.get('manifests/1.json').catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'store-refused', exitCode: 4 });
    proxy.decide = () => '503';
    const tired = openStore(env);
    const away = await tired.get('manifests/1.json').catch((error: unknown) => error);
    expect(away).toMatchObject({ code: 'store-unreachable' });
    for (const error of [refused, away]) {
      const { why, fix, message, stack } = error as { why: string; fix: string } & Error;
      const told = [why, fix, message, stack].join(' ');
      expect(told).not.toContain(env.AWS_SECRET_ACCESS_KEY);
      expect(told).not.toContain('not-the-key-at-all');
      expect(told).not.toContain(env.AWS_ACCESS_KEY_ID);
    }
    await wrong.close();
    await tired.close();
  });
});

describe('one machine with a store', () => {
  it('starts from the store on an empty disk: nothing is downloaded from the service', async () => {
    const env = await freshBucket();
    await using fleet = await Fleet.open(host, env);
    const sources = fleet.sources(PER_VEHICLE);
    const expected = await fleet.inline(sources);
    await fleet.run(sources);
    expect(await readState(fleet.cacheDir)).toEqual(expected);
    expect(await storeState(env)).toEqual(outputsOf(expected));
    await rm(fleet.cacheDir, { recursive: true });
    host.asked.length = 0;
    const { counts } = await fleet.run(sources);
    expect(host.asked).toEqual([]);
    expect(counts).toMatchObject({ unchanged: PICTURES, outputsMade: 0 });
    expect(await readState(fleet.cacheDir)).toEqual(expected);
  });

  it('asks for no output whether it is there, and puts nothing where nothing changed', async () => {
    const env = await freshBucket();
    await using fleet = await Fleet.open(host, env);
    const sources = fleet.sources(PER_VEHICLE);
    await fleet.run(sources);
    proxy.log.length = 0;
    await fleet.run(sources);
    const asked = proxy.log.map(({ method, path: name }) => `${method} ${name.split('?')[0]}`);
    const bucket = new URL(env.STORE_URL ?? '').pathname;
    expect(asked.sort()).toEqual([
      `GET ${path.posix.dirname(bucket)}`,
      `GET ${path.posix.dirname(bucket)}`,
      `GET ${bucket}/records/site/1.json`,
      `GET ${bucket}/records/site/1.json`,
      `GET ${bucket}/records/site/1.times.json`,
      `GET ${bucket}/records/site/1.times.json`,
      `GET ${bucket}/records/site/2.json`,
      `GET ${bucket}/records/site/2.json`,
      `GET ${bucket}/records/site/2.times.json`,
      `GET ${bucket}/records/site/2.times.json`,
    ]);
  });

  it('removes what an earlier plan knew and none knows now, but not what others know', async () => {
    const env = await freshBucket();
    await using fleet = await Fleet.open(host, env);
    const sources = fleet.sources(PER_VEHICLE);
    await fleet.run(sources);
    const store = openStore(env);
    // Just put by a worker for a plan that is not this one's.
    const foreign = 'files/00/000000000000000000-64-000000.jpg';
    await store.put(foreign, Buffer.from('x'));
    const [first] = sources;
    const ofFirst = sources.filter(({ key }) => key.startsWith('1/'));
    // Equal bytes under another address, for the other dealer.
    const twin = {
      ...(first as (typeof sources)[number]),
      key: sourceKey(2, { id: 999, url: first?.url ?? '' }),
    };
    await fleet.run([...sources, twin]);
    const before = await store.list('files/');
    // The first dealer alone, with one vehicle less.
    await fleet.run(ofFirst.filter(({ vehicle }) => vehicle !== first?.vehicle));
    const after = await store.list('files/');
    expect(after).toContain(foreign);
    expect(before.length - after.length).toBe((PER_VEHICLE - 1) * OUTPUTS);
    await store.close();
  });

  it('makes again what the store lost although its record says otherwise', async () => {
    const env = await freshBucket();
    await using fleet = await Fleet.open(host, env);
    const sources = fleet.sources(PER_VEHICLE);
    const expected = await fleet.inline(sources);
    await fleet.run(sources);
    const store = openStore(env);
    const [lost = '', alsoLost = ''] = (await store.list('files/')).sort();
    await store.remove([lost, alsoLost]);
    await store.put('records/site/2.json', Buffer.from('torn'));
    await store.close();
    await rm(fleet.cacheDir, { recursive: true });
    const { problems } = await fleet.run(sources);
    expect(problems).toEqual([expect.stringContaining('dealer 2 is not used: it is damaged')]);
    expect(await readState(fleet.cacheDir)).toEqual(expected);
    expect(await storeState(env)).toEqual(outputsOf(expected));
  });
});

describe('workers with a store', () => {
  const openFleet = async () => {
    await redis.command('FLUSHALL');
    const env = { ...(await freshBucket()), QUEUE_URL: redis.url };
    const fleet = await Fleet.open(host, env);
    const sources = fleet.sources(PER_VEHICLE);
    const expected = await fleet.inline(sources);
    host.asked.length = 0;
    return {
      env,
      fleet,
      sources,
      expected,
      [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
    };
  };
  const putsOfOutputs = () =>
    proxy.log.filter(({ method, path: name }) => method === 'PUT' && name.includes('/files/'));

  it('come to the same bytes on the coordinator and in the store; each output is put once', async () => {
    await using at = await openFleet();
    await Promise.all([at.fleet.worker(), at.fleet.worker()]);
    const { counts, failures } = await at.fleet.run(at.sources);
    expect(failures).toEqual([]);
    expect(counts).toMatchObject({ downloaded: PICTURES, outputsMade: PICTURES * OUTPUTS });
    expect(await readState(at.fleet.cacheDir)).toEqual(at.expected);
    expect(await storeState(at.env)).toEqual(outputsOf(at.expected));
    expect(putsOfOutputs()).toHaveLength(PICTURES * OUTPUTS);
    const store = openStore(at.env);
    expect(await store.list('work/')).toEqual([]);
    await store.close();
  });

  it('come to the same where the store is unwell and a worker is killed', async () => {
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
    expect(await readState(at.fleet.cacheDir)).toEqual(at.expected);
    expect(await storeState(at.env)).toEqual(outputsOf(at.expected));
    // A second try looks first, so only what was on its way is put again: an answer that was cut,
    // and what the dead worker's encoder was at.
    const again = putsOfOutputs().filter(({ status }) => status === 412);
    expect(again.length).toBeLessThanOrEqual(cutPuts + 2 * OUTPUTS);
  });
});

describe('a whole build', () => {
  it('by workers, and one on an empty disk, publish what one process publishes', async () => {
    await redis.command('FLUSHALL');
    const env: FleetEnv = { ...(await freshBucket()), QUEUE_URL: redis.url };
    await using service = await sampleService();
    const config = configFor(service);
    await using alone = await temporaryFolder();
    await using shared = await temporaryFolder();
    const expected = await build(config, alone.path, { now: FIRST_NIGHT });
    expect(expected.error).toBeUndefined();

    await using fleet = await Fleet.open({ baseUrl: service.baseUrl, urls: [] }, env);
    await Promise.all([fleet.worker(), fleet.worker()]);
    const engines = enginesOf(env);
    const first = await build(config, shared.path, { engines, now: FIRST_NIGHT });
    expect(first.error).toBeUndefined();
    expect(first.report.media).toEqual(expected.report.media);
    // The mark of a list says which keys were looked for, and those of the store are among them here.
    const siteIn = async (folder: string) => {
      const tree = await readTree(folder);
      const times = tree.get(PUBLISHED_TIMES) ?? '';
      return tree.set(PUBLISHED_TIMES, times.replace(/"listMark": "[^"]+"/g, '"listMark"'));
    };
    const site = await siteIn(expected.output);
    expect(site.get(PUBLISHED_TIMES)).toContain('"listMark"');
    expect(site.size).toBeGreaterThan(20);
    expect(await siteIn(first.output)).toEqual(site);

    await rm(path.join(shared.path, 'cache'), { recursive: true });
    service.requests.clear();
    const second = await build(config, shared.path, { engines, now: FIRST_NIGHT });
    expect(second.error).toBeUndefined();
    expect(service.requests.list('picture')).toEqual([]);
    expect(await siteIn(second.output)).toEqual(site);
    const told = JSON.stringify([first.report, first.lines, ...fleet.workers.map((w) => w.said())]);
    expect(told).not.toContain(env.AWS_SECRET_ACCESS_KEY);
    expect(told).not.toContain(env.AWS_ACCESS_KEY_ID);
  });
});

async function sampleService(): Promise<SampleService & AsyncDisposable> {
  const service = await startService({ dealers: 2, vehicles: 3, images: 4 });
  return Object.assign(service, { [Symbol.asyncDispose]: () => service.close() });
}
