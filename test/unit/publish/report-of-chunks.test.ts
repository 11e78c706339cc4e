import { expect, it } from 'vitest';
import { newChunk } from '../../../src/publish/chunk/built-chunk.ts';
import { makeReport, noResults } from '../../../src/publish/outcome/make-report.ts';
import type { DealerReport } from '../../../src/publish/report/report.ts';

const code = 'picture-damaged';
const failure = (key: string) => ({ key, vehicle: 'a', code, message: '', standIn: false });

it('times of processes that ran in parallel count once, and the first failures are listed', () => {
  const chunks = [
    {
      process: 1,
      steps: { images: 7 },
      cpu: { images: 6 },
      failures: [failure('2 a')],
      reports: [{ id: 1, state: 'held' } as DealerReport],
    },
    {
      process: 0,
      steps: { images: 3 },
      cpu: { images: 3 },
      failures: Array.from({ length: 50 }, (_, index) => failure(`1 ${index}`)),
    },
  ].map((chunk) => ({ ...newChunk(), notes: ['The same.'], ...chunk }));
  const results = { ...noResults(), chunks, steps: { publish: 5 } };
  const report = makeReport(results, 0, undefined, 0, 0);
  expect(report).toMatchObject({
    outcome: 'not-published',
    steps: { images: 7, publish: 5 },
    cpu: { images: 9 },
    pictureFailureCodes: { [code]: 51 },
    notes: ['The same.'],
  });
  expect(report.pictureFailures).toHaveLength(50);
  expect(report.pictureFailures.every(({ key }) => key.startsWith('1'))).toBe(true);
});
