import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { noCounts } from '../../../src/images/counts.ts';
import type { BuildReport, DealerReport } from '../../../src/publish/report/report.ts';
import * as summary from '../../../src/publish/report/summary.ts';

const summaryLines = (of: BuildReport) => summary.summaryLines(of, '_site');
const summaryMarkdown = (of: BuildReport) => summary.summaryMarkdown(of, '_site');
/** The same with plain characters instead of references. */
const plainMarkdown = (of: BuildReport) =>
  summaryMarkdown(of).replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code));

/** A dealer with one of each. */
const oneDealer = (change: Partial<DealerReport> = {}) =>
  ({
    name: 'Northgate Cars',
    state: 'fresh',
    source: 'live',
    vehicles: { used: 1, accepted: 1, hidden: 0, quarantined: 1, withdrawn: 1 },
    items: { quarantined: 1 },
    pictures: { used: 1, listed: 1, failed: 1, missing: 0 },
    videos: { embedded: 1, linked: 0, listed: 1 },
    notes: [],
    ...change,
  }) as DealerReport;

const dealer = (index: number, change: Partial<DealerReport> = {}) =>
  oneDealer({
    name: `Dealer ${index} of a group whose dealers have rather long names`,
    vehicles: { used: 100, quarantined: 0, withdrawn: 0 } as never,
    items: { quarantined: 0 } as never,
    pictures: { used: 1000, failed: 0 } as never,
    videos: { embedded: 10, linked: 1 } as never,
    ...change,
  });

const small = (change: object = {}) =>
  ({
    attention: [],
    notes: [],
    outcome: 'published',
    durationMs: 8500,
    dealers: [oneDealer()],
    media: { ...noCounts(), outputsMade: 1, downloaded: 1, renamed: 1, downloadedBytes: 100 },
    unmatchedEmbeds: {},
    ...change,
  }) as unknown as BuildReport;

const report = (
  dealers: DealerReport[],
  hosts = 0,
  attention: BuildReport['attention'] = [],
): BuildReport =>
  small({
    attention,
    outcome: 'degraded',
    durationMs: 75_000,
    dealers,
    media: {
      outputsMade: 400_000,
      outputsReused: 400_000,
      outputsRemoved: 400_000,
      downloaded: 100_000,
      downloadedBytes: 4e11,
    },
    unmatchedEmbeds: Object.fromEntries(
      Array.from({ length: hosts }, (_, index) => [`${'host'.repeat(30)}${index}.example`, 1]),
    ),
  });

const odd: Partial<DealerReport> = {
  state: 'held',
  vehicles: { used: 100, quarantined: 3, withdrawn: 2 } as never,
  pictures: { used: 1000, failed: 7, missing: 0 } as never,
  facts: {
    problems: Array.from(
      { length: 50 },
      (_, row) => `row ${row}: "${'x'.repeat(200)}" is no price`,
    ),
    problemCount: 120,
  } as never,
};

const refused = (id: number): BuildReport['attention'][number] => ({
  dealer: id,
  code: 'service-refused-403',
  what: `The service refused the request for dealer ${id} (${'Long Name '.repeat(9)}) (status 403).`,
  fix: 'Check the API key, that it belongs to this dealer or account, and the ids in the configuration.',
});
const SLUG = 'a-dealer-of-a-group-whose-dealers-have-rather-long-names';
const lost = (id: number): BuildReport['attention'][number] => ({
  dealer: id,
  code: 'stock-vehicle-loss',
  what: `9 of 10 vehicles of dealer ${id} (Northgate Cars) disappeared at once.`,
  fix: `If they were really sold, run once with --accept-loss ${SLUG}-${id}@0123456789ab`,
});
const many = (one: (id: number) => BuildReport['attention'][number], count: number) =>
  Array.from({ length: count }, (_, id) => one(id));

describe('the summary of a build', () => {
  it.each([1, 5, 6, 40, 400])('fits a screen of 24 lines by 80 with %i dealers', (count) => {
    for (const change of [{}, odd]) {
      for (const attention of [
        [],
        many(refused, count),
        many(lost, count),
        [...many(lost, 1), ...many(refused, count)],
      ]) {
        const dealers = Array.from({ length: count }, (_, index) => dealer(index, change));
        const lines = summaryLines(report(dealers, 40, attention));
        // npm and the prompt use four lines.
        expect(lines.length).toBeLessThanOrEqual(20);
        // Commands are never shortened.
        const cut = lines.filter((line) => !line.includes('--accept-loss'));
        expect(Math.max(...cut.map((line) => line.length))).toBeLessThanOrEqual(80);
        expect(lines.find((line) => /^ {2}And .* dealers: .*…$/.test(line))).toBeUndefined();
      }
    }
  });

  it('prints the first problems of stock lists and counts all of them', () => {
    const built = report([dealer(1, { facts: odd.facts })]);
    const lines = summaryLines(built);
    expect(lines[2]).toContain('120 problems in the stock list');
    expect(summaryMarkdown(built)).toMatch(/^- Stock list of Dealer 1 .*row 0&#58;/m);
    expect(lines.slice(3, 6)).toEqual(
      [0, 1, 2].map((row) =>
        expect.stringMatching(`^  Stock list of Dealer 1 .*: row ${row}: "x+…$`),
      ),
    );
  });

  it('names the dealers that need attention, the most severe first, and counts the others', () => {
    const dealers = Array.from({ length: 40 }, (_, index) => dealer(index));
    dealers[20] = dealer(20, {
      pictures: { used: 1, failed: 2, missing: 0 } as never,
    });
    dealers[30] = dealer(30, odd);
    const lines = summaryLines(report(dealers));
    expect(lines[1]).toMatch(/^ {2}Dealer 30 /);
    expect(lines[2]).toContain('held: too many vehicles or media missing, snapshot used');
    expect(lines.slice(3, 5)).toEqual([
      '    quarantined; 7 pictures failed, earlier ones are shown; 120 problems in the',
      '    stock list; 2 withdrawn',
    ]);
    expect(lines[5]).toMatch(/^ {2}Dealer 20 /);
    expect(lines[6]).toContain('2 pictures failed');
    expect(lines[7]).toBe('  And 38 more dealers: 3800 vehicles, 38000 pictures – fresh');
  });

  it('wraps the notes of four dealers if the screen has space', () => {
    const vehicles = { used: 100, quarantined: 3, withdrawn: 1 } as never;
    const degraded = { state: 'degraded', source: 'snapshot', ageSeconds: 7200, vehicles } as const;
    const items = { quarantined: 12, unknownType: 9 } as never;
    const four = Array.from({ length: 4 }, (_, index) => dealer(index, { ...degraded, items }));
    const lines = summaryLines(report(four));
    expect(lines.slice(2, 4)).toEqual([
      '    degraded: snapshot used (2 h old); 3 records quarantined; 12 media items',
      '    quarantined; 9 media items of unknown type; 1 withdrawn',
    ]);
    expect(lines.filter((line) => line.endsWith('; 1 withdrawn'))).toHaveLength(4);
  });

  it.each([
    [0, 'earlier ones are shown'],
    [10, 'earlier ones are shown for 23'],
    [33, 'they are not shown'],
  ])('gives the reason for failed pictures, and their replacement: %i missing', (missing, text) => {
    const reason = { code: 'download-status', message: 'its server responded with status 500' };
    const pictures = { listed: 40, used: 40, failed: 33, missing, reason };
    const failed = report([dealer(1, { pictures })]);
    const said = `33 pictures failed (its server responded with status 500), ${text}`;
    expect(summaryLines(failed)[2]?.replace(/…$/, '')).toContain(said.slice(0, 70));
    expect(plainMarkdown(failed)).toContain(said);
  });

  it('begins with attention and its commands', () => {
    const attention = [lost(1), ...many(refused, 2)];
    expect(summaryLines(report([dealer(1, odd), dealer(2)], 0, attention)).slice(1, 8)).toEqual([
      'Needs attention:',
      '  9 of 10 vehicles of dealer 1 (Northgate Cars) disappeared at once.',
      `    If they were really sold, run once with --accept-loss ${SLUG}-1@0123456789ab`,
      expect.stringMatching(/^ {2}The service refused the request for dealer 0 \(Long Name .*…$/),
      expect.stringMatching(/^ {2}The service refused the request for dealer 1 \(Long Name .*…$/),
      '    Check the API key, that it belongs to this dealer or account, and the ids in',
      '    the configuration.',
    ]);
    expect(summaryLines(report([dealer(1)])).join('\n')).not.toContain('Needs attention');
    const what = `Dealer 1 (Northgate Cars) is left out: ${'there is no published record of it, '.repeat(3)}.`;
    const alone = summaryLines(report([dealer(1)], 0, [{ ...refused(1), what }]));
    expect(alone.slice(2, 5).join(' ').replace(/\s+/g, ' ').trim()).toContain(what.slice(0, 120));
  });

  it('counts the entries that do not fit on a screen', () => {
    const text = (attention: BuildReport['attention']) =>
      summaryLines(report([dealer(1)], 0, attention)).join('\n');
    expect(text(many(refused, 40))).toContain('and 37 more like these');
    expect(text(many(lost, 40))).toContain('And 37 more (see "attention" in the report).');
  });

  it('has the same entries in Markdown above the dealers, without omissions', () => {
    const built = report([], 0, [...many(lost, 40), ...many(refused, 40)]);
    const markdown = summaryMarkdown(built);
    expect(markdown).toMatch(
      /^## Built into _site, degraded\n\n### Needs attention\n\n- \*\*9 of 10/,
    );
    expect(markdown.match(/^- \*\*/gm)).toHaveLength(80);
    expect(plainMarkdown(built)).toContain(`--accept-loss ${SLUG}-39@0123456789ab`);
    expect(summaryMarkdown(report([]))).not.toContain('Needs attention');
  });

  it('gives the reasons in Markdown, each once', () => {
    const problem = { code: 'service-unreachable', what: 'No usable response.', why: 'Status 503' };
    const notes = ['The record is not used'];
    const down: Partial<DealerReport> = { state: 'degraded', problem, notes };
    const why = 'It reported closed';
    const known = { ...dealer(0, down), id: 0, problem: { ...refused(0), why } };
    const attention = many((id) => ({ ...refused(id), why }), 2);
    const leftOut = { code: 'stock-left-out', dealer: 8, what: 'Left out. It is not known.' };
    const unknown = { code: 'service-refused-404', what: 'It is not known.', why: 'Status 404' };
    const dealers = [known, { ...dealer(1, down), id: 9 }, dealer(8, { problem: unknown, id: 8 })];
    const built = report(dealers, 0, [...attention, { ...leftOut, why: 'Status 404' }]);
    const markdown = plainMarkdown(built);
    const texts = [
      why,
      'Status 503',
      'Status 404',
      `2 dealers (${dealer(0).name}, ${dealer(1).name}): The record is not used`,
    ].map((text) => [text, markdown.split(text).length - 1]);
    expect(texts).toEqual([
      [why, 2],
      ['Status 503', 1],
      ['Status 404', 1],
      [expect.stringContaining('record is not used'), 1],
    ]);
    expect(markdown.match(/^ {2}What to do about these 2: Check the API key/gm)).toHaveLength(1);
  });

  it('does not count sold and hidden vehicles as problems', () => {
    const vehicles = { used: 9, quarantined: 0, hidden: 1, withdrawn: 1 } as never;
    const dealers = Array.from({ length: 9 }, (_, index) => dealer(index, { vehicles }));
    expect(summaryLines(report(dealers))[1]).toBe(
      '  9 dealers: 81 vehicles, 9000 pictures – fresh',
    );
    expect(summaryMarkdown(report(dealers))).not.toContain('withdrawn');
  });

  it('ends with the notes of the site in Markdown', () => {
    const markdown = summaryMarkdown({ ...report([]), notes: ['One', ...Array(20).fill('Two')] });
    expect(markdown).toMatch(/\n- One\n(?:- Two\n){9}$/);
  });

  it('of a stopped build reports responses, and does not call them fresh', () => {
    const stopped = {
      ...report([
        dealer(1, {
          vehicles: { used: 0, accepted: 12, hidden: 0, quarantined: 0, withdrawn: 0 } as never,
          pictures: { used: 0, listed: 240, failed: 0, missing: 0 },
          videos: { embedded: 0, linked: 0, listed: 3 },
        }),
      ]),
      outcome: 'not-published',
    } as BuildReport;
    const lines = summaryLines(stopped);
    expect(lines[1]).toMatch(/: 12 vehicles, 240 pictures, 3 videos – accepted$/);
    expect(lines.join()).not.toContain('fresh');
    expect(summaryMarkdown({ ...stopped, dealers: stopped.dealers })).toMatch(
      /\| accepted \| 12 \| 240 \| 3 \|/,
    );
    const many = { ...stopped, dealers: Array.from({ length: 9 }, () => stopped.dealers[0]) };
    expect(summaryLines(many as BuildReport)[1]).toBe('  9 dealers: 108 vehicles, 2160 pictures');
  });

  it('of a stopped build does not count hidden vehicles, as after a published one', () => {
    const vehicles = { used: 0, accepted: 6, hidden: 1, quarantined: 0, withdrawn: 0 } as never;
    const stopped = { ...report([dealer(1, { vehicles })]), outcome: 'not-published' };
    expect(summaryLines(stopped as BuildReport).join('\n')).toMatch(/: 5 vehicles, .*\n +1 hidden/);
  });
});

it.each([
  ['published', 'Built into _site in 8.5 s.'],
  ['degraded', 'Built into _site, degraded, in 8.5 s.'],
  ['unchanged', 'Nothing changed in _site in 8.5 s.'],
] as const)('an outcome %s names the folder and never calls it published', (outcome, line) => {
  const [first] = summaryLines(small({ outcome }));
  expect(first).toBe(line);
  expect(summaryMarkdown(small({ outcome }))).not.toMatch(/published/i);
});

it('a count of one has a singular noun', () => {
  const text = summaryLines(small()).join('\n');
  expect(text).toContain('1 vehicle, 1 picture, 1 video ');
  expect(text).toContain('1 record quarantined; 1 media item quarantined; 1 picture failed');
  expect(text).toContain('1 picture downloaded');
  expect(text).toContain('New only by URL: 1. ');
  expect(text).not.toMatch(/\b1 (?:vehicle|picture|video|record|media item)s/);
});

const refusedOne = {
  code: 'service-refused-401',
  what: 'The service refused the request for dealer 7001 (Northgate Cars) (status 401).',
  fix: 'Check the API key.',
};

it('a failed build does not claim that a snapshot is used', () => {
  const stopped = small({
    outcome: 'not-published',
    problem: refusedOne,
    attention: [
      {
        ...refusedOne,
        what: `${refusedOne.what} Visitors still see the vehicles of 2026-03-10 11:00 UTC.`,
        dealer: 7001,
      },
    ],
    dealers: [
      oneDealer({
        state: 'degraded',
        source: 'snapshot',
        ageSeconds: 7200,
        problem: refusedOne,
        vehicles: { used: 0, accepted: 0, quarantined: 0, withdrawn: 0 } as never,
        items: { quarantined: 0 } as never,
        pictures: { used: 0, listed: 72, failed: 0, missing: 0 },
      }),
    ],
  });
  const lines = summaryLines(stopped);
  // The error follows these lines, with its reason and fix.
  expect(lines.slice(0, 2)).toEqual([
    'The build failed. The published site is unchanged (8.5 s).',
    '  Northgate Cars: no usable response (snapshot: 2 h old)',
  ]);
  expect(lines.join('\n')).not.toMatch(/72 pictures|good answer|Needs attention/);
  const markdown = summaryMarkdown(stopped);
  expect(markdown).toContain('| no usable response (snapshot: 2 h old) | – | – | – |');
});

it('a failed build lists the findings of its checks in Markdown', () => {
  const what = 'The new site failed its checks:\n- a/index.html links to /b/\n- and 2 more';
  const problem = { code: 'verify-failed', what };
  expect(summaryMarkdown(small({ outcome: 'not-published', problem }))).toContain(
    '\n\n**The new site failed its checks&#58;** (verify-failed)\n- a/index&#46;html links to /b/\n- and 2 more\n\n',
  );
});

it('a failed build still lists entries of other dealers that need attention', () => {
  const other = { code: 'stock-vehicle-loss', what: '9 of 10 vehicles are missing.', fix: 'Look.' };
  const lines = summaryLines(
    small({
      outcome: 'not-published',
      problem: refusedOne,
      attention: [{ ...other, dealer: 7002 }],
    }),
  );
  expect(lines.slice(1, 4)).toEqual([
    'Needs attention:',
    '  9 of 10 vehicles are missing.',
    '    Look.',
  ]);
});

/** A count in a template before a plural noun. The list contains counts that are never one. */
const PLURAL =
  /\$\{[^}]*(?:length|count|size|received|vehicles|pictures|total)\} (?:vehicles|pictures|videos|records|batches|rows|files|thumbnails|dealers|problems)\b/;

it('no message has a count before a fixed plural noun', () => {
  const folder = path.resolve('src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const found = files
    .filter((file) => file.endsWith('.ts') && !file.startsWith('site/i18n'))
    .flatMap((file) =>
      readFileSync(path.join(folder, file), 'utf8')
        .split('\n')
        .filter((line) => PLURAL.test(line) && !line.includes('=== 1'))
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(found).toEqual([]);
});
