import { describe, expect, it } from 'vitest';
import type { BuildReport } from '../../../src/publish/report/report.ts';
import { disagreements, type OnDisk } from '../../chaos/agreement.ts';
import type { Answer } from '../../chaos/faults.ts';
import {
  checkFolder,
  checkNight,
  type DealerNight,
  type NightFacts,
} from '../../chaos/invariants.ts';
import { configFor } from '../../support/build.ts';

/** Tests that the checks find faults: each row adds one to a good night. Chaos itself shows that they find no others. */

const HOUR = 3_600_000;
const NOW = Date.parse('2026-03-03T02:00:00Z');
const page = (slug: string, name: string): string => `${slug}/${name}/index.html`;
const pagesOf = (slug: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => page(slug, `ab${10 + index}xyz`));
const PAGE = '<img src="/media/ab/1.webp"><img src="/media/ab/2.webp">';

const tree = (files: Record<string, string> = {}): Map<string, string> =>
  new Map([
    ...['dealer-1', 'dealer-2'].flatMap((slug): [string, string][] => [
      [`${slug}/index.html`, 'list'],
      ...pagesOf(slug, 6).map((file): [string, string] => [file, PAGE]),
    ]),
    ...Object.entries(files),
  ]);

function without(files: Map<string, string>, ...removed: string[]): Map<string, string> {
  for (const file of removed) files.delete(file);
  return files;
}

const dealer = (
  number: number,
  answer: Answer,
  change: Partial<DealerNight> = {},
): DealerNight => ({
  id: 7000 + number,
  slug: `dealer-${number}`,
  name: `Dealer ${number}`,
  possible: new Set([answer]),
  honest: pagesOf(`dealer-${number}`, 6),
  believed: true,
  unreadable: false,
  malformed: undefined,
  acceptsLoss: false,
  confirmed: { latest: NOW - 24 * HOUR, surely: NOW - 24 * HOUR },
  ...change,
});

interface Entry {
  source?: string;
  problem?: { code: string; fix?: string };
}
const report = (
  entries: readonly Entry[],
  rest: { exitCode?: number; outcome?: string; attention?: object[]; problem?: object } = {},
): BuildReport =>
  ({
    outcome: 'published',
    exitCode: 0,
    attention: [],
    ...rest,
    dealers: entries.map((entry, index) => ({
      id: 7001 + index,
      slug: `dealer-${index + 1}`,
      state: entry.source === 'live' ? 'fresh' : 'degraded',
      notes: [],
      ...entry,
    })),
  }) as unknown as BuildReport;

const LIVE = { source: 'live' };
const DOWN = { source: 'snapshot', problem: { code: 'service-unreachable' } };
const REFUSED = { source: 'snapshot', problem: { code: 'service-refused-401' } };
const about = (id: number, code = 'service-refused-401') => [{ dealer: id, code }];

const good: NightFacts = {
  disk: 'empty',
  detached: false,
  isLate: false,
  lacksThumbnails: false,
  now: NOW,
  before: tree(),
  after: tree(),
  published: true,
  killed: false,
  patient: false,
  report: report([LIVE, LIVE]),
  dealers: [dealer(1, 'whole'), dealer(2, 'whole')],
  pictureFaults: false,
  unsettled: false,
  absentSince: new Map(),
  fewerPictures: new Set(),
};
const [ONE = '', TWO = ''] = pagesOf('dealer-1', 6);
/** The site after the withdrawal of the first vehicle, or of others. */
const withdrawn = (...files: string[]) =>
  tree(Object.fromEntries([ONE, ...files].map((file) => [file, 'no longer available'])));
const FEWER = '<img src="/media/ab/1.webp">';
/** The first dealer's response. The second one responds completely. */
const first = (...given: [answer: Answer, change?: Partial<DealerNight>]) => ({
  dealers: [dealer(1, ...given), dealer(2, 'whole')],
});
const refusedNight = {
  ...first('refused'),
  report: report([REFUSED, LIVE], { exitCode: 8, attention: about(7001) }),
};

describe('a night', () => {
  it.each<[RegExp, Partial<NightFacts>]>([
    [/dealer-1 vanished/, { after: without(tree(), 'dealer-1/index.html') }],
    [/is gone at once/, { after: without(tree(), ONE) }],
    [/although every honest response lists it/, { after: withdrawn() }],
    [
      /shrank by 6 of 6/,
      {
        after: withdrawn(...pagesOf('dealer-1', 6)),
      },
    ],
    [/less than the configured time/, { before: withdrawn(), after: without(tree(), ONE) }],
    [/1 thumbnails where 2 were/, { after: tree({ [ONE]: FEWER }), fewerPictures: new Set([TWO]) }],
    [/0 thumbnails where 2 were/, { after: tree({ [ONE]: 'no photo' }), ...first('bare') }],
    [
      /although every honest response lists it/,
      { after: withdrawn(), ...first('malformed', { malformed: ONE }) },
    ],
    [
      /fresh, but lists other vehicles/,
      { after: withdrawn(), ...first('malformed', { malformed: ONE }) },
    ],
    [/fresh, but lists other vehicles/, { after: tree({ [page('dealer-1', 'planted')]: PAGE }) }],
    [/not from the snapshot/, { ...refusedNight, after: tree({ [TWO]: `${PAGE}!` }) }],
    [/but has no attention entry/, { ...refusedNight, report: report([REFUSED, LIVE]) }],
    [
      /exit code 0 with 1 attention/,
      { ...refusedNight, report: report([REFUSED, LIVE], { attention: about(7001) }) },
    ],
    [
      /dealer-2 needs attention/,
      { report: report([LIVE, LIVE], { exitCode: 8, attention: about(7002) }) },
    ],
    [/is none, but its service gave refused/, { ...refusedNight, report: report([DOWN, LIVE]) }],
    [
      /is none, but has no attention entry/,
      {
        ...first('none', { confirmed: { latest: NOW - 73 * HOUR, surely: NOW - 73 * HOUR } }),
        report: report([DOWN, LIVE]),
      },
    ],
    [
      /without need: exit code 3/,
      {
        published: false,
        ...first('refused'),
        report: report([], { outcome: 'not-published', exitCode: 3 }),
      },
    ],
    [
      /no stored state, but a site was published/,
      { disk: 'unreachable', ...first('none'), report: report([DOWN, LIVE]) },
    ],
    [/nothing could be compared/, { disk: 'unreachable' }],
    [/record of dealer-1 is damaged without a report/, first('whole', { unreadable: true })],
    [
      /without need: exit code 4/,
      {
        published: false,
        dealers: [dealer(1, 'whole', { believed: false }), dealer(2, 'none')],
        report: report([], { outcome: 'not-published', exitCode: 4 }),
      },
    ],
  ])('with %s violates an invariant', (wrong, change) => {
    expect(checkNight({ ...good, ...change }).join('\n')).toMatch(wrong);
  });

  it('may lack sold vehicles that its only, older state does not have', () => {
    const all = pagesOf('dealer-1', 6);
    const sold = all.slice(0, 3);
    const facts = {
      ...good,
      after: without(tree(), ...sold),
      ...first('whole', { believed: false, honest: all.slice(3) }),
      absentSince: new Map(sold.map((file) => [file, NOW])),
    };
    expect(checkNight({ ...facts, isLate: true })).toEqual([]);
    expect(checkNight(facts).join()).toMatch(/shrank by 3 of 6/);
    const unsold = { ...facts, isLate: true, absentSince: new Map() };
    expect(checkNight(unsold).join()).toMatch(/is gone at once/);
  });

  it('may show fewer pictures after its service removed one', () => {
    const after = tree({ [ONE]: FEWER });
    expect(checkNight({ ...good, after, fewerPictures: new Set([ONE]) })).toEqual([]);
  });
});

describe('disks', () => {
  const on = (disk: string, change: Partial<OnDisk> = {}): OnDisk => ({
    disk,
    report: report([LIVE, LIVE]),
    visible: tree(),
    ...change,
  });

  it.each<[RegExp, Partial<OnDisk>]>([
    [/about dealer-1\/ab10xyz/, { visible: tree({ [ONE]: 'another' }) }],
    [/disagree: /, { report: report([LIVE, LIVE], { exitCode: 8 }) }],
    [/disagree: /, { report: report([LIVE, DOWN]) }],
    [
      /nothing was published, exit code 4/,
      { report: report([], { outcome: 'not-published', exitCode: 4 }) },
    ],
  ])('differ: %s', (wrong, change) => {
    expect(disagreements([on('kept'), on('empty', change)]).join()).toMatch(wrong);
  });
});

describe('the fault of an outdated published folder', () => {
  const config = configFor({
    baseUrl: 'http://127.0.0.1:1',
    mediaKey: '0123456789abcdef0123456789abcdef',
    data: { dealers: [{ id: 1, name: 'One' }] },
  });
  const OLD = { 'index.html': 'old', 'media/ab/1.jpg': '\xff\xd9' };
  const check = (files: Record<string, string>, claim: boolean | undefined) =>
    checkFolder('nowhere', {
      config,
      before: { inode: 1, files: new Map(Object.entries(OLD)) },
      after: { inode: 1, files: new Map(Object.entries(files)) },
      claim,
    });

  it.each<[RegExp, Record<string, string>, boolean | undefined]>([
    [/in place: media\/ab\/2/, { ...OLD, 'media/ab/2.jpg': '\xff\xd9' }, false],
    [/media\/ab\/2.jpg is truncated/, { ...OLD, 'media/ab/2.jpg': '\xff' }, undefined],
    [/in place: media\/ab\/1/, { ...OLD, 'media/ab/1.jpg': '2\xff\xd9' }, undefined],
    [/in place: media\/ab\/1/, { 'index.html': 'old' }, undefined],
    [/in place: index.html/, { ...OLD, 'index.html': 'new' }, undefined],
  ])('is %s', async (wrong, files, claim) => {
    expect(await check(files, claim)).toEqual([expect.stringMatching(wrong)]);
  });
});
