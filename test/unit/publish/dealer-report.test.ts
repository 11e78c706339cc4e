import { expect, it } from 'vitest';
import { sourceKey } from '../../../src/images/plan.ts';
import { type DealerReportInput, dealerReport } from '../../../src/publish/report/dealer-report.ts';
import { sourceHash, type Vehicle } from '../../../src/stock/vehicle.ts';

const url = 'https://pictures.example/1';
const source = sourceHash(7, 1, url);
const picture = { kind: 'image', id: 1, label: '', source, url } as const;
const vehicle = (vrm: string): Vehicle => ({
  dealerId: 7,
  vrm,
  slug: vrm.toLowerCase(),
  dateUpdated: '2026-03-01T00:00:00Z',
  media: [picture, { ...picture, id: 2 }],
});
const failure = { code: 'x', message: 'x', standIn: false };

/** A report of two vehicles that show the same two pictures. */
function reportOf(vehicles: readonly Vehicle[], failures: { key: string }[]) {
  return dealerReport({
    stock: {
      dealer: { id: 7, slug: 'seven', name: 'Seven' },
      source: 'live',
      vehicles,
      notes: [],
    } as unknown as DealerReportInput['stock'],
    state: 'fresh',
    now: 0,
    media: {
      failures: failures.map((one) => ({ ...failure, ...one })),
    } as unknown as NonNullable<DealerReportInput['media']>,
  });
}

const both = [vehicle('A'), vehicle('B')];
const failures = [
  { key: sourceKey(7, picture) },
  { key: sourceKey(70, picture) },
  { key: '7/9 https://stills.example/9' },
];

it('counts the pictures that could not be had, each where it is shown', () => {
  const list = both;
  expect(reportOf(list, failures).pictures).toMatchObject({ listed: 4, failed: 2 });
  expect(reportOf(list, []).pictures).toMatchObject({ listed: 4, failed: 0 });
});
