import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { enginesOf } from '../../src/config/engines.ts';
import { Secret } from '../../src/config/secret.ts';
import { summaryLines } from '../../src/publish/report/summary.ts';
import { PUBLISHED_TIMES } from '../../src/record/published-records.ts';
import { readTimes } from '../../src/record/times.ts';
import { type Change, putTree } from '../support/build.ts';
import { applied, changeSetOf, type Tree } from '../support/change-set.ts';
import type { Disk, Later } from '../support/disks.ts';
import { FIRST_NIGHT } from '../support/disks.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { startS3Host } from '../support/hosts/s3.ts';
import {
  down,
  later,
  type NightOptions,
  published,
  readPublished,
  useLaterNight,
  vehicles,
} from '../support/later-night.ts';
import { FORGED_MARKS } from '../support/published-site.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Thin builds on disks without any file of the published site. */

useLaterNight();

type Night = Awaited<ReturnType<Later['night']>>;

const vehicle = (index: number) => {
  const found = vehicles()[index];
  if (!found) throw new Error(`no vehicle ${index}`);
  return found;
};

/** A report without fields that depend on the form. */
const reportOf = ({ report }: Night) => {
  const { exitCode, outcome, dealers, attention, pictureFailures, problem } = report;
  return { exitCode, outcome, dealers, attention, pictureFailures, problem };
};

interface Around {
  /** Disk of both builds. By default, only the full build has the files of earlier nights, which is faster. */
  disk?: Disk;
  hours?: number;
  change?: Change;
  options?: NightOptions;
}

const parsed = (night: Night) => changeSetOf(night.files ?? new Map());

/** Builds the same night in full and thin form. The served files and the report are the same. */
async function bothForms({ disk, hours = 24, change, options = {} }: Around = {}) {
  const full = await later.night(disk ?? 'kept', hours, options, change);
  later.site.asked.length = 0;
  later.service.requests.clear();
  const thin = await later.night(disk ?? 'empty', hours, { ...options, form: 'thin' }, change);
  const asked = [...later.site.asked].sort();
  expect(reportOf(thin)).toEqual(reportOf(full));
  if (!full.files || !thin.files) throw new Error(full.report.problem?.what);
  const set = await changeSetOf(thin.files);
  const served = applied(set, published);
  const expected = new Map([...full.files, [PUBLISHED_TIMES, full.times ?? '']]);
  expect([...served.keys()].sort()).toEqual([...expected.keys()].sort());
  expect(served).toEqual(expected);
  // A full site contains the same build time, so neither counts as older.
  const read = readTimes(Buffer.from(served.get(PUBLISHED_TIMES) ?? '', 'latin1'));
  const confirmed = Array.from(read?.times.values() ?? [], (entry) => entry.confirmed).sort();
  expect(set.list.built).toBe(confirmed.at(-1));
  const pictures = later.service.requests.list('picture').filter(({ status }) => status === 200);
  return { full, thin, set, served, asked, pictures: pictures.length };
}

const records = (...names: string[]) => names.map((name) => `api/records/${name}`);
const MEMORY = records(
  '7001.files.json',
  '7001.json',
  '7002.files.json',
  '7002.json',
  'times.json',
);
const ofDealers = (files: Iterable<string>) =>
  [...files].filter((file) => /^(?:dealer-\d|embed\/|media\/|api\/records\/\d)/.test(file)).sort();

describe('on an empty disk, a thin build', () => {
  it('without changes reads only stored state and writes only the shared files', async () => {
    const { set, asked, pictures, thin } = await bothForms({ disk: 'empty' });
    expect(asked).toEqual(MEMORY);
    expect(pictures).toBe(0);
    expect(ofDealers(set.files.keys())).toEqual([]);
    expect(set.files.size).toBeLessThan(40);
    expect(set.list).toMatchObject({
      site: later.site.url,
      built: new Date(FIRST_NIGHT + 24 * 3_600_000).toISOString(),
      changed: [],
    });
    expect(thin.report.media).toMatchObject({ outputsMade: 0, outputsRestored: 0, failed: 0 });
  });

  it('lists the key file for IndexNow, and removed pages, if search engines are notified', async () => {
    const { title, url, timeZone } = later.config().site;
    const change = { site: { title, url, timeZone, indexNow: true } as Change['site'] };
    const { vrm } = vehicle(0);
    const { set, served } = await bothForms({ change, options: { hide: [vrm] } });
    expect(served.get(`${set.list.indexNow}.txt`)).toBe(set.list.indexNow);
    expect(set.list.changed).toContain(`dealer-1/${vrm.toLowerCase()}/index.html`);
  });

  it('writes the pages and thumbnails of a changed vehicle and requests no published ones', async () => {
    const { vrm, mediaList } = vehicle(0);
    const image = mediaList.find(({ type }) => type === 'Image');
    later.service.data.touch(image?.id ?? 0);
    vehicle(0).dateUpdated = '2026-03-02T09:00:00Z';
    const { set, asked, pictures } = await bothForms();
    expect(asked).toEqual(MEMORY);
    expect(pictures).toBe(1);
    const folder = `dealer-1/${vrm.toLowerCase()}/`;
    expect(set.list.changed).toEqual(expect.arrayContaining([`${folder}index.html`, 'index.html']));
    const others = ofDealers(set.files.keys()).filter((file) => {
      return /^(?:embed\/)?dealer-\d\/[a-z0-9]+xyz\//.test(file) && !file.includes(folder);
    });
    // The vehicle is among their similar vehicles, or is or was their neighbour in the list.
    const beside = (file: string) =>
      [set.files.get(file), published.get(file)].some((page) =>
        String(page).includes(`/${folder}`),
      );
    expect(others.length).toBeLessThanOrEqual(10);
    expect(others.filter((file) => !beside(file))).toEqual([]);
    const thumbnails = (files: Iterable<string>) =>
      [...files].filter((file) => file.startsWith('media/'));
    // Each new thumbnail replaces a former one.
    expect(thumbnails(set.files.keys()).length).toBeGreaterThan(0);
    const isGone = thumbnails(published.keys()).filter((file) => !set.list.files.has(file));
    expect(isGone.length).toBe(thumbnails(set.files.keys()).length);
  });

  it('draws cards without pictures if thumbnails cannot be read, and the next build draws them again', async () => {
    const before = published;
    const list = 'api/records/7001.files.json';
    const other = Buffer.from(before.get(list)?.replace('dealer-1', 'dealer-9') ?? '');
    later.site.instead = (file) => {
      if (file.startsWith('media/')) return { status: 503 };
      return file === list ? { body: other } : undefined;
    };
    const night = await later.night('empty', 24, { form: 'thin' });
    expect(night.exitCode).toBe(0);
    expect(night.report.notes.join()).toMatch(/Thumbnails for \d+ social cards could not be read/);
    const cardsIn = (tree: Tree) =>
      [...tree].filter(([file]) => /^dealer-1\/.*card\.jpg$/.test(file)).sort();
    const cards = cardsIn(before);
    const served = applied(await parsed(night), before);
    const differing = cardsIn(served).filter(([file, bytes]) => before.get(file) !== bytes);
    expect(differing.length).toBeGreaterThan(5);
    putTree(later.published, served);
    await readPublished();
    later.site.instead = undefined;
    const next = await bothForms({ hours: 48 });
    expect(cardsIn(next.served)).toEqual(cards);
    expect(cardsIn(next.set.files).length).toBe(differing.length);
    expect(next.thin.report.notes.join()).not.toContain('social card');
  });

  it('writes the same in many batches and several processes', async () => {
    const [withdrawn] = vehicles().splice(1, 1);
    const single = await later.night('empty', 24, { form: 'thin' });
    const { asked, set, thin } = await bothForms({ options: { chunkVehicles: 1 } });
    // Its page is kept for a while with a notice.
    expect(set.list.changed).toContain(`dealer-1/${withdrawn?.vrm.toLowerCase()}/index.html`);
    expect(await parsed(thin)).toEqual(await parsed(single));
    expect([...new Set(asked)]).toEqual(MEMORY);
  });

  it('writes the same with thumbnails in a shared store', async () => {
    const host = await startS3Host();
    onTestFinished(() => host[Symbol.asyncDispose]());
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, S3_ENDPOINT } = host.environment();
    const aws = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION: 'eu-central-1' };
    const engines = enginesOf({ STORE_URL: `${S3_ENDPOINT}/cars/store`, ...aws });
    const [image] = vehicle(0).mediaList.filter(({ type }) => type === 'Image');
    later.service.data.touch(image?.id ?? 0);
    vehicle(0).dateUpdated = '2026-03-02T09:00:00Z';
    const { set } = await bothForms({ options: { engines } });
    const made = [...set.files.keys()].filter((file) => file.startsWith('media/'));
    expect(made.length).toBeGreaterThan(0);
    const stored = [...host.objects.keys()].map((key) =>
      key.replace('/cars/store/files/', 'media/'),
    );
    expect(stored).toEqual(expect.arrayContaining(made));
  });

  it('includes the pages that link to a custom page if the link changes', async () => {
    const folder = tempFolder();
    const page = (key: string) =>
      writeFilesBelow(folder, {
        'pages/team.md': `---\nlayout: page.njk\ntitle: Team\neleventyNavigation: { key: ${key} }\n---\nText`,
      });
    await page('Team');
    const change = { file: path.join(folder, 'site.config.json') };
    await later.live(24, {}, change);
    await readPublished();
    await page('People');
    const { set } = await bothForms({ hours: 48, change });
    const footed = [...set.files].filter(([, text]) => text.includes('>People</a>'));
    expect(footed.map(([file]) => file)).toEqual(
      expect.arrayContaining(['404.html', 'dealer-1/index.html', 'index.html', 'team/index.html']),
    );
    expect(set.list.changed).not.toContain('404.html');
    const others = [...set.files.keys()].filter((file) => !footed.some(([one]) => one === file));
    for (const file of others.filter((one) => !one.startsWith('api/records/'))) {
      expect(set.files.get(file), file).toBe(published.get(file));
    }
  });

  it('includes all pages if a custom page shows every vehicle', async () => {
    const folder = tempFolder();
    await writeFilesBelow(folder, {
      'pages/all.njk':
        '---\ntitle: All\n---\n{% extends "layouts/base.njk" %}{% block content %}<h1>All</h1><p>{{ vehicles | dump }}</p>{% endblock %}',
    });
    const change = { file: path.join(folder, 'site.config.json') };
    await later.live(24, {}, change);
    await readPublished();
    vehicles().splice(1, 1);
    const { set, served, asked } = await bothForms({ hours: 48, change });
    expect(asked).toEqual(MEMORY);
    expect(served.get('all/index.html')).toContain('media/');
    expect(set.list.changed).toContain('all/index.html');
    expect([...set.files.keys()].filter((file) => file.startsWith('media/'))).toEqual([]);
  });
});

describe('an untrusted published site', () => {
  const all = (tree: Tree) => [...tree.keys()].filter((file) => !file.startsWith('media/')).sort();
  /** Serves a published file with another text in it. */
  const alter = (name: string, from: string, to: string) => {
    const body = Buffer.from(published.get(name)?.replace(from, to) ?? '');
    later.site.instead = (file) => (file === name ? { body } : undefined);
  };

  it('is rebuilt if its signatures are wrong', async () => {
    later.site.instead = FORGED_MARKS;
    const { set, served } = await bothForms({ disk: 'empty' });
    expect([...set.files.keys()].sort()).toEqual([...served.keys()].sort());
  });

  it('has pages rebuilt that were not searched for a new key', async () => {
    const account = { name: 'new', customerId: 'c', cakeId: '1', apiKeyEnv: 'NEW' };
    const apiKey = new Secret('99999999-8888-4777-8666-fedcba987654');
    const config = { ...later.config(), accounts: [{ ...account, apiKey }] as never };
    const { set, asked, pictures } = await bothForms({ disk: 'empty', options: { config } });
    expect(all(set.files)).toEqual(all(published));
    // The records and thumbnails are trusted: cards are drawn again with published ones.
    const thumbnails = asked.filter((file) => file.startsWith('media/'));
    expect(asked.slice(0, -thumbnails.length)).toEqual(
      records('7001.json', '7002.json', 'times.json'),
    );
    const cards = [...published.keys()].filter((file) => /^dealer-\d\/\w+\/card\.jpg$/.test(file));
    expect(pictures).toBe(0);
    // One card for each vehicle with pictures.
    expect(new Set(thumbnails).size).toBeGreaterThan(10);
    expect(new Set(thumbnails).size).toBeLessThanOrEqual(cards.length);
    expect([...set.files.keys()].filter((file) => file.startsWith('media/'))).toEqual([]);
  });

  it('has pages rebuilt if a list is not the published one', async () => {
    alter('api/records/7001.files.json', 'dealer-1', 'dealer-9');
    const { set, thin } = await bothForms({ disk: 'empty' });
    expect(thin.report.notes.join()).toContain('(7001.files.json)');
    const isMade = (slug: string) =>
      [...set.files.keys()].filter((file) => file.startsWith(`${slug}/`)).length;
    expect([isMade('dealer-1') > 20, isMade('dealer-2')]).toEqual([true, 0]);
  });

  it('has pages rebuilt if a record is from another night', async () => {
    const name = 'api/records/7001.json';
    alter(name, 'AB10XYZ', 'AB99XYZ');
    const { set } = await bothForms({ disk: 'empty' });
    expect(set.files.has(name)).toBe(true);
  });

  it('reports once that the pages of a dealer moved', async () => {
    const dealers = [
      { id: 7001, name: 'One', slug: 'moved' },
      { id: 7002, name: 'Two', slug: 'dealer-2' },
    ];
    const { report } = await later.live(24, {}, { dealers });
    const text = summaryLines(report, '_site').join('\n');
    expect(text).toContain('pages moved from /dealer-1/ to /moved/, redirect the old addresses');
    const again = await later.live(48, {}, { dealers });
    expect(again.report.dealers[0]?.formerSlug).toBeUndefined();
  });

  it('has no files of a removed dealer in the list, and reports it', async () => {
    const change = { dealers: [{ id: 7002, name: 'Two', slug: 'dealer-2' }] };
    const { served, thin } = await bothForms({ change });
    expect([...served.keys()].filter((file) => file.startsWith('dealer-1/'))).toEqual([]);
    expect(thin.report.notes.join()).toContain('lose their pages: 7001.');
  });
});

describe('the gates of a thin build equal those of a full build', () => {
  it.each<[string, () => void, Around?]>([
    // On a kept disk, a full build could be unchanged.
    ['a dealer is down', () => down(), { disk: 'empty' }],
    ['a dealer sells too much at once', () => vehicles().splice(1), { options: { strict: true } }],
    [
      'pictures are gone',
      () => later.service.faults.set({ route: 'picture', status: 404 }),
      { disk: 'empty' },
    ],
    ['the site is unreachable', () => {}, { disk: 'alone', options: { strict: true } }],
    [
      'the site is unreachable on the first day',
      () => {},
      { disk: 'alone', options: { first: true } },
    ],
    ['a cache came back, and a dealer is down', () => down(), { disk: 'cached', hours: 80 }],
  ])('%s', async (_, given, around) => {
    given();
    await bothForms(around);
  });

  it('a dealer is down and the site is unreachable: neither form writes files', async () => {
    down();
    const full = await later.night('alone', 24);
    const thin = await later.night('alone', 24, { form: 'thin' });
    expect(thin.exitCode).toBeGreaterThan(2);
    expect(reportOf(thin)).toEqual(reportOf(full));
    expect(thin.files).toBeUndefined();
  });
});
