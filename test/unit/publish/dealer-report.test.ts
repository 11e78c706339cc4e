import { expect, it } from 'vitest';
import { sourceKey } from '../../../src/images/plan.ts';
import { checkEveryPicture } from '../../../src/publish/gates/gates.ts';
import { type DealerReportInput, dealerReport } from '../../../src/publish/report/dealer-report.ts';
import type { Vehicle } from '../../../src/stock/vehicle.ts';
import { pictureOf, vehicleOf } from '../../support/vehicle.ts';

const vehicle = (vrm: string, ids: number[]) =>
  vehicleOf(
    vrm,
    ids.map((id) => pictureOf(id)),
  );
const failureOf = (dealer: number, id: number, standIn = false) => ({
  key: sourceKey(dealer, pictureOf(id)),
  vehicle: 'a',
  code: 'download-status',
  message: 'gone',
  standIn,
});
const stockOf = (...vehicles: Vehicle[]) =>
  ({
    dealer: { id: 7, slug: 'seven', name: 'Seven' },
    source: 'live',
    vehicles,
    notes: [],
  }) as unknown as DealerReportInput['stock'];

it('has no negative age after the clock was set back, which no schema accepts', () => {
  const stock = { ...stockOf(), takenAt: '2026-03-01T00:00:00Z' };
  expect(dealerReport({ stock, state: 'fresh', now: 0 })).toMatchObject({ ageSeconds: 0 });
});

it('counts failed pictures of the dealer on each page that shows them', () => {
  const two = stockOf(vehicle('A', [1, 2]), vehicle('B', [1, 2]));
  const failedOf = (failures: object[], stock = two) =>
    dealerReport({ stock, state: 'fresh', now: 0, media: { failures } as never }).pictures;
  const poster = { ...failureOf(7, 1), key: '7/9 https://stills.example/9' };
  const failures = [failureOf(7, 1), failureOf(70, 1), poster];
  const reason = { code: 'download-status', message: 'gone' };
  expect(failedOf(failures)).toMatchObject({ listed: 4, failed: 2, missing: 2, reason });
  const other = { ...failureOf(7, 2, true), message: 'late' };
  const late = [failureOf(7, 1), other, { ...failureOf(7, 3), message: 'late' }];
  const three = failedOf(late, stockOf(vehicle('A', [1, 2, 3])));
  expect(three).toMatchObject({ failed: 3, missing: 2, reason: { ...reason, message: 'late' } });
  expect(failedOf([])).toMatchObject({ listed: 4, failed: 0 });
});

it.each([
  ['all are there', 3, [], true],
  ['one failed without fallback', 2, [false], true],
  ['one failed, with a fallback', 3, [true], true],
  ['one failed, with a fallback of which too little is left', 2, [true], true],
  ['one is missing for no known reason', 2, [], false],
  ['one more is missing than failed', 1, [false], false],
  ['one is there although it failed', 3, [false], false],
])('every picture is on a page or in the list of failures: %s', (_, used, standIns, isGood) => {
  const failures = standIns.map((standIn) => failureOf(7, 1, standIn));
  const check = () =>
    checkEveryPicture([stockOf(vehicle('A', [1, 2, 3]))], new Map([[7, { pictures: used }]]), {
      failures,
    });
  if (isGood) expect(check).not.toThrow();
  else {
    expect(check).toThrow(expect.objectContaining({ code: 'publish-pictures-lost', exitCode: 5 }));
  }
});
