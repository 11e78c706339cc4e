import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { down, type Later } from '../support/disks.ts';
import { sharedFirstNight } from '../support/later-night.ts';
import { type Fault, liveAlone, liveOnKnownDisks, rowsOf, stopped } from '../support/outcomes.ts';
import { withOtherMarks } from '../support/published-site.ts';

/** Results of a night with damaged stored state, in the cache or beside the published site. */

const first = await sharedFirstNight();

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const before = await readFile(file, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  await writeFile(file, after);
}

interface Damage {
  name: string;
  /** @param folder of records. */
  inflict: (folder: string) => Promise<void>;
  /** Reported notes. */
  note: RegExp;
}

const RECORD = '7001.json';
const TIMES = 'times.json';
const editTimes =
  (change: (times: { dealers: Record<string, object> }) => void) => (folder: string) =>
    edit(path.join(folder, TIMES), (text) => {
      const times = JSON.parse(text);
      change(times);
      return JSON.stringify(times);
    });

/** Damage that equals a missing record, in any place. Unit tests of records and times have every kind of it. */
const DAMAGES: Damage[] = [
  {
    name: 'a record has one changed letter',
    inflict: (folder) => edit(path.join(folder, RECORD), (text) => text.replace('AB10', 'AB00')),
    note: /record is not used: it is damaged/,
  },
  {
    name: 'the times are truncated',
    inflict: (folder) => truncate(path.join(folder, TIMES), 50),
    note: /record is not used: times\.json: it is damaged/,
  },
  {
    name: 'the times omit a dealer',
    inflict: editTimes(({ dealers }) => {
      delete dealers[7001];
    }),
    note: /the time of its last response is unknown|has pages of this dealer, but no record/,
  },
];

/** Damage of only the published site: a cache is trusted without signatures. */
const DAMAGES_OF_SITES: Damage[] = [
  {
    name: 'a signature is wrong',
    inflict: (folder) => edit(path.join(folder, TIMES), withOtherMarks),
    note: /no build with this key and this site\.url made it/,
  },
  {
    name: 'a record is missing',
    inflict: (folder) => rm(path.join(folder, RECORD)),
    note: /record is not used: (its server responded with status 404|there is none)/,
  },
];

/** A dealer without a response, with a snapshot. */
const STOOD_IN = { exitCode: 0, states: ['degraded', 'fresh'], attention: [], same: true };
/** A dealer without a response and without a snapshot. */
const STOPPED = { exitCode: 4, states: ['failed', 'fresh'], attention: [], same: false };

async function live(later: Later, disk: Parameters<Later['night']>[0]) {
  const { exitCode, report, files, error } = await later.night(disk, 24, { strict: true });
  expect(report.problem?.code, String(error)).toBe(
    exitCode === 4 ? 'service-unreachable' : undefined,
  );
  return {
    notes: report.dealers[0]?.notes.join('\n'),
    outcome: {
      exitCode,
      states: report.dealers.map(({ state }) => state),
      attention: report.attention.map(({ code }) => code),
      same: files !== undefined && JSON.stringify([...files]) === JSON.stringify([...first.files]),
    },
  };
}

describe.each(DAMAGES)('$name', ({ inflict, note }) => {
  it('in the cache: the published record is used instead', async () => {
    await using later = await first.later();
    await inflict(later.records.cache);
    down(later);
    const { outcome, notes } = await live(later, 'cached');
    expect(outcome).toEqual(STOOD_IN);
    expect(notes).toMatch(note);
  });
});

describe.each([...DAMAGES, ...DAMAGES_OF_SITES])('$name', ({ inflict, note }) => {
  it('beside the published site: the record of the cache is used instead', async () => {
    await using later = await first.later();
    await inflict(later.records.published);
    down(later);
    expect((await live(later, 'cached')).outcome).toEqual(STOOD_IN);
    const { outcome, notes } = await live(later, 'empty');
    expect(outcome).toEqual(STOPPED);
    expect(notes).toMatch(note);
  });

  it('beside the published folder and in the cache: the new response is published', async () => {
    await using later = await first.later();
    await inflict(later.records.published);
    if (DAMAGES.some((one) => one.inflict === inflict)) await inflict(later.records.cache);
    else await rm(later.records.cache, { recursive: true });
    const { outcome, notes } = await live(later, 'kept');
    expect(outcome).toEqual({ ...STOOD_IN, states: ['fresh', 'fresh'] });
    expect(notes).toMatch(note);
    down(later);
    expect((await live(later, 'kept')).outcome).toEqual(STOPPED);
  });
});

describe('on a kept disk, the list of the published files of a dealer', () => {
  const LIST = '7001.files.json';
  it.each<[string, (file: string) => Promise<void>]>([
    ['is torn', (file) => truncate(file, 500)],
    [
      'belongs to another dealer',
      async (file) => writeFile(file, await readFile(file.replace(/7001(?=[^/]*$)/, '7002'))),
    ],
  ])('%s: the site is unchanged', async (_, inflict) => {
    await using later = await first.later();
    await inflict(path.join(later.records.published, LIST));
    const { outcome } = await live(later, 'kept');
    expect(outcome).toEqual({ ...STOOD_IN, states: ['fresh', 'fresh'] });
    down(later);
    expect((await live(later, 'kept')).outcome).toEqual(STOOD_IN);
  });
});

/** Like a dealer that was never published. */
async function forget({ records, published }: Later): Promise<void> {
  for (const folder of Object.values(records)) {
    await rm(path.join(folder, RECORD));
    await editTimes(({ dealers }) => {
      delete dealers[7001];
    })(folder);
  }
  await rm(path.join(published, 'dealer-1'), { recursive: true });
}

const ROWS = rowsOf([
  ...(
    [
      [503, stopped('service-unreachable')],
      [403, stopped('service-refused-403', 3)],
    ] as const
  ).map(
    ([status, alone]): Fault => ({
      name: `a dealer has nothing to stand on and was never published: ${status}`,
      given: async (later) => {
        await forget(later);
        down(later, status);
      },
      states: ['left-out', 'fresh'],
      attention: ['7001 stock-left-out'],
      report: ({ attention }) =>
        expect(attention[0]?.what).toContain('no published record and no snapshot'),
      changes: true,
      alone,
    }),
  ),
  {
    name: 'a dealer is new',
    given: forget,
  },
  {
    name: 'thumbnails of the cache are missing, and no picture can be downloaded',
    given: async ({ cache, service }) => {
      await rm(path.join(cache, 'media/files'), { recursive: true });
      service.faults.set({ route: 'picture', status: 404 });
    },
    // All pictures were due, according to the record.
    hours: 8 * 24,
    attention: ['7001 stock-pictures-failed', '7002 stock-pictures-failed'],
    changes: 'records',
    report: ({ pictureFailures }) =>
      expect(pictureFailures.filter(({ standIn }) => !standIn)).toEqual([]),
    alone: stopped('publish-too-many-pictures-failed', 5),
  },
  {
    name: 'leftovers of a killed build',
    given: ({ records }) => writeFile(path.join(records.cache, '7001.journal'), '123 torn'),
  },
]);

it.each(ROWS)('$name → exit $exitCode, with any stored state on the disk', (row) =>
  liveOnKnownDisks(first, row),
);

it.each(ROWS)('$name, without stored state → exit $alone.exitCode', (row) => liveAlone(first, row));
