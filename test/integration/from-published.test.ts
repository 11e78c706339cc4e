import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { UserConfig } from '../../src/config/schema.ts';
import { sealed } from '../../src/media/store/dealer-file.ts';
import { summaryLines } from '../../src/publish/summary.ts';
import { type SampleService, startSampleService } from '../../src/sample-service/index.ts';
import { build, configFor, readTree, temporaryFolder } from '../support/build.ts';
import { runCommand } from '../support/command.ts';
import { type Instead, type PublishedSite, startPublishedSite } from '../support/published-site.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The service's newest date, and a build of the same morning. */
const UPDATED = '2026-03-02T08:00:00Z';
const MORNING = Date.parse('2026-03-02T10:00:00Z');
const PICTURES = 6;

let service: SampleService;
let site: PublishedSite;
let original: SampleService['data']['dealers'];
let first: Awaited<ReturnType<typeof temporaryFolder>>;
let published: Map<string, string>;
let outputs = 0;

/** Builds a site on an empty disk, for the address of the published one. */
async function fresh(options: {
  now?: number;
  use?: 'when-empty' | 'always';
  folder?: string;
  change?: Partial<UserConfig>;
}) {
  const { now = MORNING, use = 'when-empty', folder, change } = options;
  const own = folder === undefined ? await temporaryFolder() : undefined;
  service.requests.clear();
  site.asked.length = 0;
  const config = configFor(service, {
    site: { title: 'Test Motors', url: site.url },
    ...change,
  });
  const built = await build(config, folder ?? own?.path ?? '', { now, fromPublished: use });
  const files = await readTree(built.output);
  const pictures = service.requests
    .list('picture')
    .map(({ status, headers }) => `${status}${headers['if-none-match'] ? ' conditional' : ''}`);
  return {
    ...built,
    files,
    pictures,
    counts: built.report.media,
    async [Symbol.asyncDispose]() {
      await own?.[Symbol.asyncDispose]();
    },
  };
}

const listFile = () => `api/pictures/${service.data.dealers[0]?.id}.json`;
const list = () => published.get(listFile()) ?? '';
const isList = (file: string) => file === listFile();
const thumbnails = () => [...published.keys()].filter((file) => file.startsWith('media/'));
/** A list with a part replaced and a checksum that fits. */
function forged(text: string, from: string | RegExp, to: string): string {
  const body = text.replace(/,"sum":"[^"]*"\}\n$/, '').replace(from, to);
  expect(text.startsWith(body)).toBe(false);
  return `${body},"sum":"${sealed(body).slice(0, 8)}"}\n`;
}
const vehicle = (index: number) => {
  const found = service.data.dealers[0]?.vehicles[index];
  if (!found) throw new Error(`no vehicle ${index}`);
  return found;
};
const picture = (index: number, place: number) => {
  const found = vehicle(index).mediaList.filter(({ type }) => type === 'Image')[place];
  if (!found) throw new Error('no picture');
  return found;
};

beforeAll(async () => {
  service = await startSampleService({ dealers: 1, vehicles: 3, images: 8 });
  for (const one of service.data.dealers[0]?.vehicles ?? []) {
    const images = one.mediaList.filter(({ type }) => type === 'Image').slice(0, 2);
    one.mediaList.splice(0, one.mediaList.length, ...images);
    one.dateUpdated = '2026-02-20T08:00:00Z';
    for (const { id } of images) service.data.override(id, { width: 400, height: 320 });
  }
  vehicle(0).dateUpdated = UPDATED;
  // The sample service draws a vehicle by its first item: this one stays the first.
  vehicle(2).mediaList.unshift({ ...picture(2, 0), id: 1, type: 'Brochure' as 'Image' });
  original = structuredClone(service.data.dealers);
  site = await startPublishedSite();
  first = await temporaryFolder();
  const built = await fresh({ folder: first.path });
  expect(built.error).toBeUndefined();
  published = built.files;
  outputs = built.counts?.outputsMade ?? 0;
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await service.close();
  await first[Symbol.asyncDispose]();
});
beforeEach(() => {
  service.faults.clear();
  service.data.dealers.splice(0, 1, ...structuredClone(original));
  for (const id of service.data.pictures.keys()) {
    service.data.override(id, { deleted: false, revision: 0 });
  }
  site.folder = path.join(first.path, 'site');
  site.instead = undefined;
});

describe('a build on an empty disk', () => {
  it('takes everything from the published site, and makes the same bytes', async () => {
    await using again = await fresh({});
    expect(again.error).toBeUndefined();
    expect(again.counts).toMatchObject({
      sources: PICTURES,
      downloaded: 0,
      outputsMade: 0,
      outputsReused: 0,
      outputsRestored: outputs,
      failed: 0,
    });
    expect(outputs).toBe(thumbnails().length);
    const size = thumbnails().reduce((sum, file) => sum + (published.get(file)?.length ?? 0), 0);
    expect(again.counts?.restoredBytes).toBe(size + list().length);
    expect(again.pictures).toEqual([]);
    expect(again.report.notes).toEqual([]);
    expect(summaryLines(again.report).join()).toContain(`${outputs} taken from the published site`);
    expect(again.files).toEqual(published);
    // One list and each thumbnail, once.
    expect([...site.asked].sort()).toEqual([listFile(), ...thumbnails()].sort());
  });

  it('is asked for nothing where the cache has its pictures', async () => {
    await using folder = await temporaryFolder();
    await cp(first.path, folder.path, { recursive: true });
    const again = await fresh({ folder: folder.path });
    expect(site.asked).toEqual([]);
    expect(again.counts).toMatchObject({ outputsReused: outputs, outputsRestored: 0 });
    expect(again.files).toEqual(published);
  });

  it('fetches what a cache lost where it is told to', async () => {
    await using folder = await temporaryFolder();
    await cp(first.path, folder.path, { recursive: true });
    const store = path.join(folder.path, 'cache', 'media', 'files');
    const [shard = ''] = await readdir(store);
    await rm(path.join(store, shard), { recursive: true });
    const again = await fresh({ folder: folder.path, use: 'always' });
    expect(again.counts).toMatchObject({ downloaded: 0, outputsMade: 0 });
    expect(again.counts?.outputsRestored).toBeGreaterThan(0);
    expect(again.files).toEqual(published);
  });

  it('downloads the one picture that changed', async () => {
    service.data.touch(picture(1, 1).id);
    vehicle(1).dateUpdated = '2026-03-02T09:30:00Z';
    await using again = await fresh({});
    expect([...again.pictures].sort()).toEqual(['200 conditional', '304 conditional']);
    expect(again.counts).toMatchObject({ downloaded: 1, revalidated: 1, failed: 0 });
    site.folder = first.path;
    await using nothing = await fresh({});
    expect(nothing.counts).toMatchObject({ downloaded: PICTURES, outputsRestored: 0 });
    expect(again.files).toEqual(nothing.files);
  });

  it('downloads what is new, and a cover that was none', async () => {
    vehicle(2).mediaList.push(...vehicle(2).mediaList.splice(1, 1));
    vehicle(2).dateUpdated = '2026-03-02T09:30:00Z';
    await using again = await fresh({});
    expect([...again.pictures].sort()).toEqual(['200', '304 conditional']);
    expect(again.counts).toMatchObject({ outputsMade: 3, failed: 0 });
    site.folder = first.path;
    await using nothing = await fresh({});
    expect(again.files).toEqual(nothing.files);
  });
});

describe('npm run build', () => {
  async function command(...flags: string[]) {
    await using folder = await temporaryFolder();
    const below = (name: string) => path.join(folder.path, name);
    const { service: its, site: about, dealers, media } = configFor(service);
    await writeFile(
      below('config.json'),
      JSON.stringify({
        service: { baseUrl: its.baseUrl },
        site: { title: about.title, url: site.url, timeZone: about.timeZone },
        dealers: dealers.map(({ id, name, slug }) => ({ id, name, slug })),
        media: { widths: media.widths, fallbackWidth: media.fallbackWidth },
      }),
    );
    const files = Object.entries({ output: 'site', cache: 'cache', report: 'report.json' });
    const ran = await runCommand(
      'build',
      [
        ...['--config', below('config.json'), '--now', new Date(MORNING).toISOString()],
        ...files.flatMap(([name, file]) => [`--${name}`, below(file)]),
        ...flags,
      ],
      { MEDIA_API_KEY: service.mediaKey },
    );
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    return JSON.parse(await readFile(below('report.json'), 'utf8')).media;
  }

  it('takes thumbnails from the published site by itself, unless told not to', async () => {
    expect(await command()).toMatchObject({ outputsMade: 0, outputsRestored: outputs });
    site.asked.length = 0;
    expect(await command('--no-from-published')).toMatchObject({
      outputsMade: outputs,
      outputsRestored: 0,
      restoredBytes: 0,
    });
    expect(site.asked).toEqual([]);
  });
});

describe('what is odd is made', () => {
  const card = () => thumbnails().find((file) => file.endsWith('.webp')) ?? '';
  const ROWS: {
    name: string;
    instead: (file: string, bytes: Buffer | undefined) => Instead | undefined;
    /** Pictures that are made all the same. */
    made: number;
    note: RegExp;
  }[] = [
    {
      name: 'a thumbnail with another byte in it',
      instead: (file, bytes) => {
        if (file !== card() || !bytes) return undefined;
        const other = Buffer.from(bytes);
        other.writeUInt8(other.readUInt8(99) ^ 1, 99);
        return { body: other };
      },
      made: 1,
      note: /not used \(pictures: 1\): they are not what its list says/,
    },
    {
      name: 'a thumbnail that is gone',
      instead: (file) => (file === card() ? { status: 404 } : undefined),
      made: 1,
      note: /its server answered with status 404/,
    },
    {
      name: 'a page in the place of a thumbnail',
      instead: (file) =>
        file === card() ? { body: '<!doctype html><title>Welcome</title>' } : undefined,
      made: 1,
      note: /they are no pictures/,
    },
    {
      name: 'thumbnails that are elsewhere',
      instead: (file) =>
        file.startsWith('media/')
          ? { status: 302, headers: { location: `${site.url}/${file}?` } }
          : undefined,
      made: PICTURES,
      note: /\(pictures: 6\): it redirects/,
    },
    {
      name: 'a thumbnail that says it is endless',
      instead: (file) =>
        file === card() ? { headers: { 'content-length': 2 ** 40 }, body: 'RIFF' } : undefined,
      made: 1,
      note: /it is larger than/,
    },
    {
      name: 'a torn list',
      instead: (file) => (isList(file) ? { body: list().slice(0, -100) } : undefined),
      made: PICTURES,
      note: /not used \(dealers: 1\): it is damaged/,
    },
    {
      name: 'a list with one letter changed',
      instead: (file) => (isList(file) ? { body: list().replace('"4', '"5') } : undefined),
      made: PICTURES,
      note: /it is damaged/,
    },
    {
      name: 'a list of another form',
      instead: (file) =>
        isList(file) ? { body: forged(list(), '"version":1', '"version":2') } : undefined,
      made: PICTURES,
      note: /it is of another version/,
    },
    {
      name: 'a list with a name that leads elsewhere',
      instead: (file) =>
        isList(file)
          ? { body: forged(list(), /"[0-9a-f]{20}"/, '"../../../../../../x"') }
          : undefined,
      made: PICTURES,
      note: /it is damaged/,
    },
    {
      name: 'a list of another encoder',
      instead: (file) =>
        isList(file)
          ? { body: forged(list(), /"groups":\["[^"]*"/, '"groups":["AAAAAAAAAAAA"') }
          : undefined,
      made: PICTURES,
      note: /they were made in another way/,
    },
    {
      name: 'no list',
      instead: (file) => (isList(file) ? { status: 404 } : undefined),
      made: PICTURES,
      note: /\(dealers: 1\): its server answered with status 404/,
    },
    {
      name: 'a page in the place of the list',
      instead: (file) => (isList(file) ? { body: '<!doctype html><p>Hello' } : undefined),
      made: PICTURES,
      note: /it is damaged, or something else/,
    },
    {
      name: 'a list that is elsewhere',
      instead: (file) =>
        isList(file) ? { status: 301, headers: { location: '/other.json' } } : undefined,
      made: PICTURES,
      note: /it redirects/,
    },
    {
      name: 'a list that says it is endless',
      instead: (file) =>
        isList(file) ? { headers: { 'content-length': 2 ** 30 }, body: '{' } : undefined,
      made: PICTURES,
      note: /it is larger than/,
    },
    {
      name: 'a host that falls over',
      instead: (file) => (file.startsWith('media/') ? { status: 503 } : undefined),
      made: PICTURES,
      note: /status 503/,
    },
  ];

  it.each(ROWS)('$name', async ({ instead, made, note }) => {
    site.instead = instead;
    await using again = await fresh({});
    expect(again.error).toBeUndefined();
    expect(again.report.outcome).toBe('published');
    expect(again.counts).toMatchObject({ downloaded: made, failed: 0 });
    expect(again.report.notes.join('\n')).toMatch(note);
    expect(again.files).toEqual(published);
    // A redirect is not followed, not even within the site.
    expect(site.asked.filter((file) => /\?|other/.test(file))).toEqual([]);
  });

  it('a site that does not answer', async () => {
    await using gone = await startPublishedSite();
    await gone.close();
    const { url } = site;
    try {
      site.url = gone.url;
      await using again = await fresh({});
      expect(again.error).toBeUndefined();
      expect(again.counts).toMatchObject({ downloaded: PICTURES, outputsRestored: 0 });
      expect(again.report.notes.join()).toMatch(/network fault ECONNREFUSED/);
    } finally {
      site.url = url;
    }
  });

  it('pictures of other widths', async () => {
    const change = { media: { widths: [160, 240], fallbackWidth: 160 } };
    await using again = await fresh({ change });
    expect(again.counts).toMatchObject({ downloaded: PICTURES, outputsRestored: 0 });
    expect(site.asked).toEqual([listFile()]);
  });
});

describe('other bytes under an unchanged address', () => {
  /** Nights that all start on an empty disk, from the site that the one before published. */
  async function nights(days: readonly number[], media: object = {}) {
    await using former = await temporaryFolder();
    await cp(site.folder, former.path, { recursive: true });
    site.folder = former.path;
    const asked: number[] = [];
    const noticed: boolean[] = [];
    for (const day of days) {
      const change = { media: { widths: [160, 320], fallbackWidth: 160, ...media } };
      await using night = await fresh({ now: MORNING + day * DAY, change });
      expect(night.error).toBeUndefined();
      asked.push(night.pictures.length);
      noticed.push((night.counts?.downloaded ?? 0) > 0);
      await rm(former.path, { recursive: true });
      await cp(night.output, former.path, { recursive: true });
    }
    return { asked, noticed };
  }

  it('are noticed within revalidateAfter by builds that always start on an empty disk', async () => {
    service.data.touch(picture(1, 1).id);
    const { asked, noticed } = await nights([1, 2, 3, 4]);
    expect(noticed.filter(Boolean)).toHaveLength(1);
    // Not all pictures each night, as long as the stock moves.
    expect(asked[0]).toBeLessThan(PICTURES);
  });

  it('are noticed at once by a build that comes a week later', async () => {
    service.data.touch(picture(2, 0).id);
    expect((await nights([7])).noticed).toEqual([true]);
  });

  it('are noticed also where a vehicle has a date of tomorrow', async () => {
    const tomorrow = '2026-03-03T08:00:00Z';
    vehicle(0).dateUpdated = tomorrow;
    service.data.touch(picture(2, 0).id);
    site.instead = (file) =>
      isList(file) ? { body: forged(list(), UPDATED, tomorrow) } : undefined;
    await using again = await fresh({});
    expect(again.pictures).toHaveLength(PICTURES);
    expect(again.counts).toMatchObject({ downloaded: 1, revalidated: PICTURES - 1 });
  });

  it('are noticed at once where revalidateAfter was made shorter', async () => {
    service.data.touch(picture(2, 0).id);
    const { noticed } = await nights([0], { revalidateAfter: '1d' });
    expect(noticed).toEqual([true]);
  });
});

describe('a picture that cannot be had', () => {
  it.each([
    { name: 'under its address', move: false },
    { name: 'under its new address', move: true },
  ])('$name keeps the thumbnails of the published site', async ({ move }) => {
    const item = picture(1, 1);
    vehicle(1).dateUpdated = '2026-03-02T09:30:00Z';
    if (move) item.mediaUrl += '?moved';
    service.data.remove(item.id);
    await using again = await fresh({});
    expect(again.report.pictureFailures).toMatchObject([{ standIn: true }]);
    expect(again.counts).toMatchObject({ downloaded: 0, outputsMade: 0, failed: 1 });
    // It is marked, so that the next night asks for it again.
    const marked = JSON.parse(again.files.get(listFile()) ?? '').vehicles.flatMap(
      ([, rows]: [string, unknown[][]]) => rows.filter((row) => row.length > 9),
    );
    expect(marked).toHaveLength(1);
    await using former = await temporaryFolder();
    await cp(again.output, former.path, { recursive: true });
    site.folder = former.path;
    service.data.override(item.id, { deleted: false });
    await using later = await fresh({});
    expect(later.counts).toMatchObject({ failed: 0 });
    expect(later.pictures).toHaveLength(1);
  });
});

describe('the published list', () => {
  it.each(['link', 'mirror'] as const)('holds no address (fullSize: %s)', async (fullSize) => {
    const secret = 'S3CR3T-token-0123456789';
    for (const { mediaList } of service.data.dealers[0]?.vehicles ?? []) {
      for (const item of mediaList) item.mediaUrl += `?sig=${secret}`;
    }
    const media = { widths: [160, 320], fallbackWidth: 160, fullSize };
    await using again = await fresh({ change: { media } });
    expect(again.error).toBeUndefined();
    const text = again.files.get(listFile()) ?? '';
    expect(text).not.toBe('');
    for (const item of [secret, 'http', 'sig=', 'pictures/', `${picture(0, 0).id}`]) {
      expect(text).not.toContain(item);
    }
  });

  it('is the same whatever is remembered of the one before', async () => {
    await using folder = await temporaryFolder();
    await cp(first.path, folder.path, { recursive: true });
    const memory = path.join(folder.path, 'cache', 'media', 'published');
    const remembered = await readdir(memory);
    expect(remembered).toHaveLength(2);
    for (const file of remembered) {
      const text = await readFile(path.join(memory, file), 'utf8');
      for (const damaged of [text.slice(0, -9), text.replace('0', '1'), '']) {
        await writeFile(path.join(memory, file), damaged);
        const again = await fresh({ folder: folder.path, now: MORNING + HOUR });
        expect(again.files.get(listFile())).toBe(list());
      }
    }
  });

  it('takes what is remembered, and hashes the thumbnails of nothing else', async () => {
    await using folder = await temporaryFolder();
    await cp(first.path, folder.path, { recursive: true });
    const store = path.join(folder.path, 'cache', 'media', 'files');
    // Who read these again would hash something else.
    for (const shard of await readdir(store)) {
      for (const file of await readdir(path.join(store, shard))) {
        await writeFile(path.join(store, shard, file), 'other bytes');
      }
    }
    vehicle(1).dateUpdated = '2026-03-02T09:30:00Z';
    const again = await fresh({ folder: folder.path });
    const rows = (text: string) =>
      JSON.parse(text).vehicles.map(([, its]: [string, object]) => its);
    expect(rows(again.files.get(listFile()) ?? '')).toEqual(rows(list()));
    expect(again.files.get(listFile())).toContain(vehicle(1).dateUpdated);
  });
});
