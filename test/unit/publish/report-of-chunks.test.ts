import { describe, expect, it } from 'vitest';
import { GateError } from '../../../src/errors.ts';
import { type MadePages, newChunk, newSteps } from '../../../src/publish/chunk/built-chunk.ts';
import {
  type BuildResults,
  makeReport,
  noResults,
} from '../../../src/publish/outcome/make-report.ts';
import type { DealerReport } from '../../../src/publish/report/report.ts';

describe('the report of several chunks', () => {
  const dealerOf = (id: number, state: 'fresh' | 'degraded' = 'fresh') =>
    ({ id, state }) as DealerReport;
  const needed = (dealer: number) => ({ dealer, code: 'stock-answer-old', what: 'Old.' });
  const failure = (key: string, code = 'picture-damaged') => ({
    key,
    code,
    message: '',
    standIn: false,
  });
  const pages = (rendered: number, unmatched: [string, number][] = []): MadePages => ({
    summaries: new Map(),
    records: [],
    unchanged: [],
    links: new Map(),
    missingLists: [],
    incompleteCards: 0,
    findings: [],
    isChanged: true,
    changed: [],
    pages: 10,
    rendered,
    unmatched: new Map(unmatched),
    feeds: [],
  });
  const results = (): BuildResults => ({
    ...noResults([3, 1, 2]),
    siteWide: { ...pages(2), ...newSteps() },
    published: { outcome: 'published', removedRecord: false, steps: { publish: 5 }, cpu: {} },
    chunks: [
      {
        ...newChunk(),
        process: 1,
        steps: { images: 7 },
        cpu: { images: 6 },
        reports: [dealerOf(1), dealerOf(2)],
        failures: [failure('2 a'), failure('2 b', 'download-refused')],
        attention: [needed(2), needed(1)],
        notes: ['Of all.', 'Of the first.'],
        madePages: pages(4, [['b.example', 1]]),
      },
      {
        ...newChunk(),
        steps: { images: 3 },
        cpu: { images: 3 },
        reports: [dealerOf(3, 'degraded')],
        failures: Array.from({ length: 50 }, (_, index) => failure(`1 ${index}`)),
        attention: [needed(3)],
        notes: ['Of all.'],
        madePages: pages(4, [
          ['a.example', 1],
          ['b.example', 3],
        ]),
      },
    ],
  });

  it('adds up counts and lists the dealers in the order of the configuration', () => {
    const report = makeReport(results(), Date.UTC(2026, 2, 2), undefined, 0, performance.now());
    expect(report.dealers.map(({ id }) => id)).toEqual([3, 1, 2]);
    expect(report).toMatchObject({
      outcome: 'degraded',
      exitCode: 0,
      startedAt: '2026-03-02T00:00:00.000Z',
      pages: 30,
      rendered: 10,
      // They ran in parallel, each on a separate core.
      steps: { images: 7, publish: 5 },
      cpu: { images: 9 },
      pictureFailureCodes: { 'download-refused': 1, 'picture-damaged': 51 },
      unmatchedEmbeds: { 'a.example': 1, 'b.example': 4 },
      notes: ['Of all.', 'Of the first.'],
    });
    expect(report.attention.map(({ dealer }) => dealer)).toEqual([3, 1, 2]);
    expect(report.pictureFailures).toHaveLength(50);
    expect(report.pictureFailures.every(({ key }) => key.startsWith('1'))).toBe(true);
  });

  it('gives the reason if nothing was published', () => {
    const error = new GateError({ code: 'publish-nothing', what: 'There is nothing to publish.' });
    const { siteWide: _, published: __, ...soFar } = results();
    const report = makeReport(soFar, 0, error, 5, performance.now());
    expect(report).toMatchObject({
      outcome: 'not-published',
      exitCode: 5,
      pages: 20,
      problem: { code: 'publish-nothing', what: 'There is nothing to publish.' },
    });
  });
});
