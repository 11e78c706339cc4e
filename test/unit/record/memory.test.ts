import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { type FoundFile, type RecordFiles, writeRecord } from '../../../src/record/file.ts';
import { bytesHash, fileHash, filesText } from '../../../src/record/files.ts';
import { listMarkOf, markOf } from '../../../src/record/mark.ts';
import { Memory } from '../../../src/record/memory.ts';
import type { DealerRecord } from '../../../src/record/schema.ts';
import { TIMES } from '../../../src/record/times.ts';
import {
  ABSENT,
  asFiles,
  counted,
  dealer,
  filesOf,
  KEY,
  LISTED,
  MONDAY,
  NOTHING,
  NOW,
  OTHER_KEY,
  recordOf,
  SITE,
  TUESDAY,
} from '../../support/dealer-records.ts';

function recall(cached: RecordFiles, published?: RecordFiles, list = ABSENT, key = KEY) {
  const memory = new Memory({
    site: SITE,
    now: NOW,
    cached,
    published: published && (() => ({ files: published, list: async () => list })),
  });
  return memory.recall({ ...dealer, apiKey: key });
}
const vrms = (record: DealerRecord | undefined) => record?.vehicles.map(({ vrm }) => vrm);

describe('the stored state of a dealer', () => {
  it('takes the later confirmation of two equal records', async () => {
    const { last } = await recall(
      asFiles(filesOf(recordOf('A'), MONDAY)),
      asFiles(filesOf(recordOf('A'), TUESDAY)),
    );
    expect(last?.confirmed).toBe(TUESDAY);
    const another = asFiles(filesOf(recordOf('A'), TUESDAY, { key: OTHER_KEY }));
    const cached = asFiles(filesOf(recordOf('A'), MONDAY));
    expect((await recall(cached, another)).last?.confirmed).toBe(MONDAY);
  });

  it('is not downloaded if this machine has the same record', async () => {
    const files = filesOf(recordOf('A'), MONDAY);
    const times = new Map([[TIMES, files.get(TIMES) as FoundFile]]);
    expect((await recall(asFiles(files), asFiles(times))).live).toMatchObject({ vrms: ['A'] });
  });

  it('is empty without any trusted record, and nothing is read', async () => {
    const { files, asked } = counted(asFiles(filesOf(recordOf('X'), TUESDAY, { key: OTHER_KEY })));
    await recall(NOTHING, files);
    expect(asked).toEqual([TIMES]);
  });
});

const cached = asFiles(filesOf(recordOf('own'), MONDAY));
const site = asFiles(filesOf(recordOf('X'), TUESDAY, { key: OTHER_KEY }));
const without = (name: string) => {
  const files = filesOf(recordOf('X'), MONDAY);
  files.delete(name);
  return asFiles(files);
};
const tornTimes = () =>
  asFiles(filesOf(recordOf('X'), MONDAY).set(TIMES, { bytes: Buffer.from('torn') }));

it.each<[string, Parameters<typeof recall>, string?]>([
  ['all is well', [cached]],
  ['the site has the same', [cached, cached]],
  ['there is nothing', [NOTHING, NOTHING]],
  [
    'a site has pages without a record, and none is here',
    [NOTHING, NOTHING, LISTED],
    'The published site has pages of this dealer, but no record: they are only counted. A build makes the record.',
  ],
  ['a site has pages without a record, and one is here', [cached, NOTHING, LISTED]],
  [
    'another key signed the published record',
    [NOTHING, site],
    'The published record is not used: no build with this key and this site.url made it. This is expected in one build after the key, SITE_SECRET or site.url changed.',
  ],
  [
    'the key is too short',
    [NOTHING, site, ABSENT, new Secret('short')],
    'The published record is not used: the key is too easy to guess to sign it. Set SITE_SECRET.',
  ],
  [
    'the cache has no times',
    [without(TIMES)],
    'The cached record is not used: the time of its last response is unknown.',
  ],
  [
    'the times of the cache are torn',
    [tornTimes()],
    'The cached record is not used: times.json: it is damaged or unrelated.',
  ],
  ['the cache has no record', [without('7.json')]],
])('the notes, if %s', async (_, places, note) => {
  expect((await recall(...places)).notes).toEqual(note === undefined ? [] : [note]);
});

it('reads the times of a cache once for all dealers', async () => {
  const { files, asked } = counted(cached);
  const memory = new Memory({ site: SITE, now: NOW, cached: files });
  for (const id of [7, 8]) await memory.recall({ ...dealer, id });
  expect(asked).toEqual([TIMES, '7.json', '8.json']);
});

describe('the published state of a dealer', () => {
  const searched = 'these keys';
  const row = { key: 'k', hash: fileHash('page'), size: 4, uses: [] };
  const list = filesText({ rows: new Map([['seven/index.html', row]]) });
  const listed = bytesHash(list);

  interface SiteOptions {
    key?: Secret;
    keys?: string;
    text?: string;
    /** Hash of the list in the times. */
    files?: string;
  }
  function site({ key = KEY, keys = searched, files = listed, ...more }: SiteOptions = {}) {
    const about = { site: SITE, dealer: 7, files, confirmed: MONDAY };
    const record = writeRecord(recordOf('A')).hash;
    const mark = markOf(KEY, { ...about, record });
    const listMark = listMarkOf(key, { ...about, searched: keys });
    const recordFiles = filesOf(recordOf('A'), MONDAY, { change: { files, mark, listMark } });
    const { text } = { text: list, ...more };
    if (text !== undefined) recordFiles.set('7.files.json', { bytes: Buffer.from(text) });
    return asFiles(recordFiles);
  }
  async function published(
    from: RecordFiles,
    lists: { searched: string } | undefined,
    cached: RecordFiles = NOTHING,
  ) {
    const memory = new Memory({
      site: SITE,
      now: NOW,
      cached,
      published: () => ({ files: from, list: async () => ABSENT }),
      lists,
    });
    return (await memory.recall(dealer)).published;
  }

  it('has the files of its record and its list', async () => {
    const restored = await published(site(), { searched });
    const [piece] = writeRecord(recordOf('A')).pieces;
    const { text = '', sum } = piece ?? {};
    const file = { name: '7.json', sum, size: text.length, hash: fileHash(text) };
    expect(restored?.pieces).toEqual([file]);
    expect([...(restored?.list?.rows ?? [])]).toEqual([['seven/index.html', row]]);
    expect(Buffer.from(restored?.list?.bytes ?? []).toString()).toBe(list);
  });

  it.each([
    ['is not signed with the key', site({ key: OTHER_KEY })],
    ['was searched for other keys', site({ keys: 'others' })],
    ['differs from the times', site({ text: `${list} ` })],
    ['is from another night', site({ text: filesText({ rows: new Map() }) })],
    ['is gone', site({ text: undefined })],
    ['is unreadable', site({ text: 'other', files: bytesHash('other') })],
  ])('has only the record if its list %s', async (_, from) => {
    const restored = await published(from, { searched });
    expect(vrms(restored?.record)).toEqual(['A']);
    expect(restored?.list).toBeUndefined();
  });

  it('is empty if this machine has the same record and the site is not trusted', async () => {
    const cached = asFiles(filesOf(recordOf('A'), MONDAY));
    const from = asFiles(filesOf(recordOf('A'), MONDAY, { key: OTHER_KEY }));
    expect(await published(cached, { searched }, cached)).toBeDefined();
    expect(await published(from, { searched }, cached)).toBeUndefined();
  });

  it('reports whether a list is expected', async () => {
    expect((await published(site(), { searched }))?.isListed).toBe(true);
    expect((await published(site({ text: 'torn' }), { searched }))?.isListed).toBe(true);
    expect((await published(site({ keys: 'others' }), { searched }))?.isListed).toBe(false);
  });

  it('is read from a cache with the same record', async () => {
    const { files, asked } = counted(site());
    const { pieces, list } = (await published(files, { searched }, site())) ?? {};
    expect([pieces?.length, list?.rows.size, asked]).toEqual([1, 1, [TIMES]]);
    asked.length = 0;
    await published(files, { searched }, site({ text: 'of another night' }));
    expect(asked).toEqual([TIMES, '7.files.json']);
  });

  it('is downloaded on demand', async () => {
    expect(await published(site(), undefined)).toBeUndefined();
  });
});
