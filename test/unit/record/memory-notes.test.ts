import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import type { RecordFiles } from '../../../src/record/file.ts';
import { asLive, Memory } from '../../../src/record/memory.ts';
import { TIMES } from '../../../src/record/times.ts';
import type { PublishedVehicles } from '../../../src/stock/refusals.ts';
import {
  ABSENT,
  asFiles,
  dealer,
  filesOf,
  LISTED,
  MONDAY,
  NOTHING,
  NOW,
  OTHER_KEY,
  recordOf,
  SITE,
  TUESDAY,
} from '../../support/dealer-records.ts';

interface Place {
  own?: RecordFiles;
  site?: RecordFiles;
  list?: PublishedVehicles;
  key?: Secret;
}
function recall({ own = NOTHING, site, list = ABSENT, key = dealer.apiKey }: Place) {
  const published = site && (() => ({ files: site, list: async () => list }));
  return new Memory({ site: SITE, now: NOW, cached: own, published }).recall({
    ...dealer,
    apiKey: key,
  });
}
const notesOf = async (place: Place) => (await recall(place)).notes;
const own = asFiles(filesOf(recordOf('own'), MONDAY));
const without = (name: string) => {
  const files = filesOf(recordOf('X'), MONDAY);
  files.delete(name);
  return asFiles(files);
};

describe('what is said of what is remembered', () => {
  it('is nothing where all is well', async () => {
    expect(await notesOf({ own: own })).toEqual([]);
    expect(await notesOf({ own: own, site: own })).toEqual([]);
    expect(await notesOf({ own: NOTHING, site: NOTHING })).toEqual([]);
  });

  it('is that a site has pages without a record, where no record is known', async () => {
    expect(await notesOf({ site: NOTHING, list: LISTED })).toEqual([
      'The published site has pages of this dealer, but no record: they are only counted. A build makes the record.',
    ]);
    expect(await notesOf({ own: own, site: NOTHING, list: LISTED })).toEqual([]);
    const torn = asFiles(new Map([[TIMES, { why: 'status 403' }]]));
    expect(await notesOf({ site: torn, list: LISTED })).toEqual([
      'The published record is not used: times.json: status 403.',
    ]);
  });

  it('is why nobody believes the published record', async () => {
    const site = asFiles(filesOf(recordOf('X'), TUESDAY, { key: OTHER_KEY }));
    expect(await notesOf({ site })).toEqual([
      'The published record is not used: no build with this key and this site.url made it. After a change of the key, of SITE_SECRET or of site.url that is so for one build.',
    ]);
    expect(await notesOf({ site, key: new Secret('short') })).toEqual([
      'The published record is not used: the key is too easy to guess to sign it; set SITE_SECRET.',
    ]);
  });

  it('is why the record of this machine is not used', async () => {
    expect(await notesOf({ own: without(TIMES) })).toEqual([
      'The kept record is not used: nothing says when it was confirmed.',
    ]);
    const torn = filesOf(recordOf('X'), MONDAY).set(TIMES, { bytes: Buffer.from('torn') });
    expect(await notesOf({ own: asFiles(torn) })).toEqual([
      'The kept record is not used: times.json: it is damaged, or something else.',
    ]);
    expect(await notesOf({ own: without('7.json') })).toEqual([]);
  });
});

describe('of cached records', () => {
  it('the times are read once for all dealers', async () => {
    const asked: string[] = [];
    const counting: RecordFiles = {
      read: async (name) => {
        asked.push(name);
        return own.read(name);
      },
    };
    const memory = new Memory({ site: SITE, now: NOW, cached: counting });
    for (const id of [7, 8]) await memory.recall({ ...dealer, id });
    expect(asked).toEqual([TIMES, '7.json', '8.json']);
  });
});

describe('a list of a dealer that is said to be live', () => {
  it.each<[PublishedVehicles, PublishedVehicles]>([
    [LISTED, LISTED],
    [ABSENT, { state: 'live', vrms: [], why: 'the list of its vehicles is gone' }],
    [
      { state: 'unknown', why: 'status 403' },
      { state: 'live', vrms: [], why: 'status 403' },
    ],
  ])('%j counts as %j', (list, live) => expect(asLive(list)).toEqual(live));
});
