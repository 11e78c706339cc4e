import { cpSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadedConfig } from '../../src/config/load.ts';
import { dealersOf, readShard, shardNumberOf } from '../../src/publish/options/shard.ts';
import { balance } from '../../src/publish/shards/balance.ts';
import { mergeShards } from '../../src/publish/shards/merge.ts';
import { weigh } from '../../src/publish/shards/weights.ts';
import { type SampleService, startSampleService } from '../../src/sample-service/index.ts';
import { build, configFor, readTree, recordingConsole, temporaryFolder } from '../support/build.ts';

const NOW = Date.UTC(2026, 2, 3);

let service: SampleService;
let config: LoadedConfig;
/** Parts of two, and the same site built whole. */
let world: Awaited<ReturnType<typeof temporaryFolder>>;
let parts: string[];
let whole: Map<string, string>;

const at = (name: string) => path.join(world.path, name);

async function buildPart(
  number: number,
  count: number,
  options: { run?: string; now?: number } = {},
) {
  const folder = at(`part-${number}-of-${count}-${options.run ?? ''}`);
  const shard = { number, count, run: options.run ?? 'night' };
  const { error, report, output } = await build(config, folder, { now: NOW, ...options, shard });
  expect(error).toBeUndefined();
  return { output, report };
}

const mergeInto = (output: string, folders: readonly string[], loaded = config) =>
  mergeShards({ config: loaded, folders, output, console: recordingConsole(), now: NOW });

beforeAll(async () => {
  world = await temporaryFolder();
  service = await startSampleService({ dealers: 3, vehicles: 7, images: 2 });
  for (const { vehicles } of service.data.dealers) {
    for (const { id } of vehicles.flatMap(({ mediaList }) => mediaList)) {
      service.data.override(id, { width: 120, height: 90 });
    }
  }
  await writeFile(at('imprint.md'), 'Parts Ltd');
  config = configFor(service, {
    site: {
      ...{ title: 'Parts', url: 'https://cars.example', perPage: 4 },
      legal: { imprint: at('imprint.md') },
    },
    dealers: await Promise.all(
      service.data.dealers.map(async ({ id, name, vehicles }, index) => {
        const rows = vehicles.map(
          ({ vrm }, of) => `${vrm},${['Škoda', 'Skoda', 'Albion'][of % 3]}`,
        );
        await writeFile(at(`stock-${id}.csv`), ['plate,make', ...rows].join('\n'));
        const stock = { file: at(`stock-${id}.csv`) };
        return { id, name, slug: `dealer-${index + 1}`, ...(index < 2 && { stock }) };
      }),
    ),
  });
  const built = await build(config, at('whole'), { now: NOW });
  expect(built.error).toBeUndefined();
  whole = await readTree(built.output);
  parts = [(await buildPart(1, 2)).output, (await buildPart(2, 2)).output];
});
afterAll(async () => {
  await service.close();
  await world[Symbol.asyncDispose]();
});

describe('parts of a site', () => {
  it.each([1, 2, 5])('%i of them, merged, are the site that is built whole', async (count) => {
    const built: string[] = [];
    for (let number = count; number >= 1; number--) {
      built.push((await buildPart(number, count)).output);
    }
    const { error, report } = await mergeInto(at(`merged-${count}`), built);
    expect(error).toBeUndefined();
    const merged = await readTree(at(`merged-${count}`));
    expect([...merged.keys()]).toEqual([...whole.keys()]);
    for (const [file, bytes] of merged) {
      if (bytes !== whole.get(file)) expect.fail(`${file} differs`);
    }
    expect(report.dealers.map(({ slug }) => slug)).toEqual(['dealer-1', 'dealer-2', 'dealer-3']);
    expect(report.outcome).toBe('published');
    expect(report.pages).toBe([...whole.keys()].filter((file) => file.endsWith('.html')).length);
  });

  it('are each a share of the work', async () => {
    const [first, second] = await Promise.all(parts.map(readTree));
    const vehicles = (files: Map<string, string> | undefined) =>
      [...(files?.keys() ?? [])].filter((file) => /^dealer-\d\/[^/]+\/index\.html$/.test(file));
    const [a, b] = [vehicles(first), vehicles(second)];
    expect(a.length + b.length).toBe(21);
    expect(a.filter((file) => b.includes(file))).toEqual([]);
    expect(first?.has('index.html')).toBe(false);
  });

  it('replace a published site, and leave it as it was where they are refused', async () => {
    const output = at('night-after-night');
    expect((await mergeInto(output, parts)).error).toBeUndefined();
    expect((await mergeInto(output, parts)).error).toBeUndefined();
    const before = await readTree(output);
    const { error, exitCode } = await mergeInto(output, parts.slice(0, 1));
    expect(error).toMatchObject({ code: 'shard-set', message: 'Part 2 of 2 is missing.' });
    expect(exitCode).toBe(5);
    expect(await readTree(output)).toEqual(before);
  });
});

describe('a merge refuses', () => {
  const refusal = async (folders: readonly string[], loaded = config) => {
    const output = at('refused');
    await rm(output, { recursive: true, force: true });
    const { error } = await mergeInto(output, folders, loaded);
    expect(await readTree(output).catch(() => undefined)).toBeUndefined();
    return error as { code: string; message: string } | undefined;
  };
  const copyOf = async (folder: string | undefined) => {
    const copy = at('copy');
    await rm(copy, { recursive: true, force: true });
    cpSync(folder ?? '', copy, { recursive: true });
    return copy;
  };

  it('no part at all, and a folder that is none', async () => {
    expect(await refusal([])).toMatchObject({ code: 'shard-set' });
    expect(await refusal([at('whole')])).toMatchObject({ code: 'shard-unusable' });
  });

  it('a part twice', async () => {
    const [first = '', second = ''] = parts;
    const error = await refusal([first, second, second]);
    expect(error).toMatchObject({ code: 'shard-set', message: 'Part 2/2 is there twice.' });
  });

  it('a part of another run', async () => {
    const other = await buildPart(2, 2, { run: 'the night before' });
    const error = await refusal([parts[0] ?? '', other.output]);
    expect(error?.message).toContain('are not of one run');
  });

  it('a site whose extension has pages or data, and one that somebody stops', async () => {
    for (const [name, part] of Object.entries({ data: '() => ({})', pages: '() => []' })) {
      const file = at(`${name}.js`);
      await writeFile(file, `export default { ${name}: ${part} };`);
      const extended = { ...config, site: { ...config.site, extend: file } };
      expect(await refusal(parts, extended)).toMatchObject({ code: 'shard-extension' });
    }
    const stopped = await mergeShards({
      ...{ config, folders: parts, output: at('stopped'), console: recordingConsole() },
      signal: AbortSignal.abort(),
    });
    expect(stopped).toMatchObject({ exitCode: 5, error: { code: 'build-interrupted' } });
    await expect(readTree(at('stopped'))).rejects.toThrow('ENOENT');
  });

  it('parts without a name of their run that were built half a day apart', async () => {
    const after = (hours: number) => NOW + hours * 3_600_000;
    const [first, second] = [
      await buildPart(1, 2, { run: '', now: after(0) }),
      await buildPart(2, 2, { run: '', now: after(13) }),
    ];
    const error = await refusal([first.output, second.output]);
    expect(error).toMatchObject({
      code: 'shard-set',
      message: expect.stringContaining('12 hours'),
    });
    const soon = await buildPart(2, 2, { run: '', now: after(2) });
    expect((await mergeInto(at('unnamed'), [first.output, soon.output])).error).toBeUndefined();
  });

  it('its own part as the place of the site', async () => {
    const [first = '', second = ''] = parts;
    const before = await readTree(first);
    const { error } = await mergeInto(first, [first, second]);
    expect(error).toMatchObject({ code: 'shard-output' });
    expect(await readTree(first)).toEqual(before);
  });

  it('a site of dealers of which none could be had, with the reason of the first', async () => {
    service.faults.set({ route: 'media', status: 503 });
    try {
      const dead = [await buildPart(1, 2, { run: 'dead' }), await buildPart(2, 2, { run: 'dead' })];
      const error = await refusal(dead.map(({ output }) => output));
      expect(error?.code).toMatch(/^service-/);
    } finally {
      service.faults.clear();
    }
  });

  it('parts of another plan, or with another configuration', async () => {
    const [first = '', second = ''] = parts;
    const fewer = { ...config, dealers: config.dealers.slice(0, 2) };
    expect((await refusal([first, second], fewer))?.code).toBe('shard-set');
    const renamed = { ...config, site: { ...config.site, title: 'Another' } };
    expect((await refusal([first, second], renamed))?.message).toContain('another configuration');
  });

  it('a part whose files are missing, altered, or more than were verified', async () => {
    const [first = ''] = parts;
    const page = [...(await readTree(parts[1] ?? '')).keys()].find((file) =>
      file.endsWith('index.html'),
    );
    const changes: ((folder: string) => Promise<void>)[] = [
      (folder) => rm(path.join(folder, page ?? '')),
      async (folder) => {
        const text = await readFile(path.join(folder, page ?? ''), 'utf8');
        await rm(path.join(folder, page ?? ''));
        await writeFile(path.join(folder, page ?? ''), `${text} `);
      },
      (folder) => writeFile(path.join(folder, 'more.html'), 'x'),
      async (folder) => {
        await rm(path.join(folder, 'shard.json'));
        await writeFile(path.join(folder, 'shard.json'), '{}');
      },
    ];
    for (const change of changes) {
      const copy = await copyOf(parts[1]);
      await change(copy);
      expect((await refusal([first, copy]))?.code).toMatch(/^shard-(?:damaged|unusable)$/);
    }
  });

  it('a thumbnail that is not as it was made, whatever its size', async () => {
    const copy = await copyOf(parts[1]);
    const name = [...(await readTree(copy)).keys()].find((file) => file.startsWith('media/'));
    const file = path.join(copy, name ?? '');
    const bytes = await readFile(file);
    await rm(file);
    await writeFile(file, bytes.toReversed());
    expect((await refusal([parts[0] ?? '', copy]))?.code).toBe('shard-damaged');
  });

  it('a site without a thumbnail that a page shows', async () => {
    const copy = await copyOf(parts[1]);
    const name = [...(await readTree(copy)).keys()].find((file) => file.startsWith('media/'));
    await rm(path.join(copy, name ?? ''));
    // Two dealers may show one picture; these do not.
    expect((await refusal([parts[0] ?? '', copy]))?.code).toBe('shard-damaged');
  });

  it('dealers with nothing to stand on that were published before', async () => {
    const output = at('lost');
    expect((await mergeInto(output, parts)).error).toBeUndefined();
    service.faults.set({ route: 'media', status: 503 });
    try {
      const shard = { number: 1, count: 1, run: 'night' };
      const dead = await build(config, at('dead'), { now: NOW, shard });
      const before = await readTree(output);
      const { error } = await mergeInto(output, [dead.output]);
      expect(error).toBeDefined();
      expect(await readTree(output)).toEqual(before);
    } finally {
      service.faults.clear();
    }
  });
});

describe('a plan', () => {
  it('deals the largest dealers out first, and names the heaviest part first', () => {
    const weights = [5, 40, 10, 10, 10, 10].map((pictures, id) => ({ id, vehicles: 1, pictures }));
    const plan = balance(weights, 2);
    expect(plan).toEqual([
      { shard: '1/2', name: 'part-1-of-2', dealers: '0,1', vehicles: 2, pictures: 45 },
      { shard: '2/2', name: 'part-2-of-2', dealers: '2,3,4,5', vehicles: 4, pictures: 40 },
    ]);
    expect(balance(weights, 8).filter(({ dealers }) => dealers === '')).toHaveLength(2);
  });

  it('weighs dealers by the last good answer, or asks; one that does not answer is ordinary', async () => {
    const warned: string[] = [];
    const options = { config, cacheDir: at('no-cache'), warn: (text: string) => warned.push(text) };
    const asked = await weigh(options);
    expect(asked.map(({ vehicles }) => vehicles)).toEqual([7, 7, 7]);
    service.faults.set({ route: 'media', status: 503 });
    try {
      const cacheDir = path.join(world.path, 'whole', 'cache');
      expect((await weigh({ ...options, cacheDir })).map(({ vehicles }) => vehicles)).toEqual([
        7, 7, 7,
      ]);
      expect(warned).toEqual([]);
      expect(await weigh(options)).toHaveLength(3);
      expect(warned).toHaveLength(3);
    } finally {
      service.faults.clear();
    }
  });

  it('without one a hash of the dealer decides, always in the same way', () => {
    const dealers = Array.from({ length: 1000 }, (_, id) => ({ id }));
    const all = [1, 2, 3].flatMap((number) => dealersOf(dealers, { number, count: 3, run: '' }));
    expect(all.map(({ id }) => id).sort((a, b) => a - b)).toEqual(dealers.map(({ id }) => id));
    expect([7001, 7002, 7003].map((id) => shardNumberOf(id, 4))).toEqual([
      shardNumberOf(7001, 4),
      shardNumberOf(7002, 4),
      shardNumberOf(7003, 4),
    ]);
    const sizes = [1, 2, 3].map(
      (number) => dealersOf(dealers, { number, count: 3, run: '' }).length,
    );
    expect(Math.min(...sizes)).toBeGreaterThan(270);
  });

  it.each(['0/2', '3/2', '1', '1/x', '1/1001', '-1/2'])('no part is called %s', (text) => {
    expect(() => readShard(text)).toThrow('is no part of a site');
  });

  it('lists of dealers are ids that the configuration has', () => {
    expect(() => readShard('1/2', { dealers: 'a,b' })).toThrow('no list of dealers');
    const shard = readShard('1/2', { dealers: '1,9' });
    expect(() => dealersOf([{ id: 1 }], shard)).toThrow('names 9');
  });
});
