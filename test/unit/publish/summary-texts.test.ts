import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { noCounts } from '../../../src/images/counts.ts';
import { countText } from '../../../src/lib/terminal/count-text.ts';
import type { BuildReport, DealerReport } from '../../../src/publish/report/report.ts';
import { summaryLines, summaryMarkdown } from '../../../src/publish/report/summary.ts';

function dealer(change: Partial<DealerReport> = {}): DealerReport {
  return {
    name: 'Northgate Cars',
    state: 'fresh',
    source: 'live',
    vehicles: { used: 1, accepted: 1, quarantined: 1, withdrawn: 1 },
    items: { quarantined: 1 },
    pictures: { used: 1, listed: 1, failed: 1 },
    videos: { embedded: 1, linked: 0, listed: 1 },
    ...change,
  } as unknown as DealerReport;
}

const report = (change: Partial<BuildReport> = {}): BuildReport =>
  ({
    attention: [],
    outcome: 'published',
    durationMs: 8500,
    dealers: [dealer()],
    media: { ...noCounts(), outputsMade: 1, downloaded: 1, downloadedBytes: 100 },
    unmatchedEmbeds: {},
    ...change,
  }) as unknown as BuildReport;

it.each([
  ['published', 'Built into _site in 8.5 s.'],
  ['degraded', 'Built into _site, degraded, in 8.5 s.'],
  ['unchanged', 'Nothing changed in _site in 8.5 s.'],
  ['not-published', 'The build failed; _site is unchanged (8.5 s).'],
] as const)('an outcome %s names the folder, and never calls it published', (outcome, line) => {
  const [first] = summaryLines(report({ outcome }), '_site');
  expect(first).toBe(line);
  expect(summaryMarkdown(report({ outcome }), '_site')).not.toMatch(/published/i);
});

it('one of a kind is not plural', () => {
  const text = summaryLines(report(), '_site').join('\n');
  expect(text).toContain('1 vehicle, 1 picture, 1 video ');
  expect(text).toContain('1 record set aside; 1 media item set aside; 1 picture failed');
  expect(text).toContain('1 picture downloaded');
  expect(text).not.toMatch(/\b1 (?:vehicle|picture|video|record|media item)s/);
});

const refused = {
  code: 'service-refused-401',
  what: 'The service refused to answer for dealer 7001 (Northgate Cars) (status 401).',
  fix: 'Check the API key.',
};

it('a failed build does not claim that a snapshot is used', () => {
  const stopped = report({
    outcome: 'not-published',
    problem: refused,
    attention: [
      {
        ...refused,
        what: `${refused.what} Its snapshot is of 2026-03-10 11:00 UTC.`,
        dealer: 7001,
      },
    ],
    dealers: [
      dealer({
        state: 'degraded',
        source: 'snapshot',
        ageSeconds: 7200,
        problem: refused,
        vehicles: {
          used: 0,
          accepted: 0,
          quarantined: 0,
          withdrawn: 0,
        } as DealerReport['vehicles'],
        items: { quarantined: 0 } as DealerReport['items'],
        pictures: { used: 0, listed: 72, failed: 0 },
      }),
    ],
  });
  const lines = summaryLines(stopped, '_site');
  // The error follows these lines, with its reason and fix.
  expect(lines.slice(0, 2)).toEqual([
    'The build failed; _site is unchanged (8.5 s).',
    '  Northgate Cars: no usable response (snapshot: 2 h old)',
  ]);
  expect(lines.join('\n')).not.toMatch(/72 pictures|good answer|Needs attention/);
  const markdown = summaryMarkdown(stopped, '_site');
  expect(markdown).toContain('| no usable response (snapshot: 2 h old) | – | – | – |');
});

it('a failed build still lists attention of other dealers', () => {
  const other = { code: 'stock-vehicle-loss', what: '9 of 10 vehicles are missing.', fix: 'Look.' };
  const lines = summaryLines(
    report({ outcome: 'not-published', problem: refused, attention: [{ ...other, dealer: 7002 }] }),
    '_site',
  );
  expect(lines.slice(1, 4)).toEqual([
    'Needs attention:',
    '  9 of 10 vehicles are missing.',
    '    Look.',
  ]);
});

it.each([
  [1, '1 vehicle'],
  [0, '0 vehicles'],
  [2, '2 vehicles'],
])('a count of %i has the right noun', (count, text) => {
  expect(countText(count, 'vehicle')).toBe(text);
  expect(countText(1, 'batch', 'batches')).toBe('1 batch');
});

/** A count in a template before a plural noun. Counts that are never one are named here. */
const PLURAL =
  /\$\{[^}]*(?:length|count|size|received|vehicles|pictures|total)\} (?:vehicles|pictures|videos|records|batches|rows|files|thumbnails|dealers|problems)\b/;

it('no message has a count before a plural noun that is written out', () => {
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
