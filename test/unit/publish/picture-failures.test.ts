import { describe, expect, it } from 'vitest';
import { sourceKey } from '../../../src/images/plan.ts';
import { checkEveryPicture } from '../../../src/publish/report/picture-failures.ts';
import { sourceHash, type Vehicle } from '../../../src/stock/vehicle.ts';

const url = (id: number) => `https://m.example/${id}.jpg`;
const vehicle: Vehicle = {
  dealerId: 7,
  vrm: 'A',
  slug: 'a',
  dateUpdated: '2026-03-01T00:00:00Z',
  media: [1, 2, 3].map((id) => ({
    kind: 'image',
    id,
    label: `Image ${id}`,
    source: sourceHash(7, id, url(id)),
    url: url(id),
  })),
};
const stock = [{ dealer: { id: 7, name: 'Seven' }, vehicles: [vehicle] }];

/** A dealer with three pictures, so many of which are on pages and so many of which failed. */
function check(used: number, failed: readonly { id: number; standIn: boolean }[]): void {
  const failures = failed.map(({ id, standIn }) => ({
    key: sourceKey(7, { id, url: url(id) }),
    code: 'download-status',
    message: 'gone',
    standIn,
  }));
  const summaries = new Map([[7, { pictures: used }]]);
  checkEveryPicture(stock as never, summaries, { failures });
}

describe('every picture is on a page, or known to have failed', () => {
  it.each([
    ['all are there', 3, []],
    ['one failed, with nothing to stand in', 2, [{ id: 1, standIn: false }]],
    ['one failed, and an earlier one stands in', 3, [{ id: 1, standIn: true }]],
    ['the same, of which too little is left to show', 2, [{ id: 1, standIn: true }]],
  ])('%s: published', (_, used, failed) => {
    expect(() => check(used, failed)).not.toThrow();
  });

  it.each([
    ['one is missing, and nothing says why', 2, []],
    ['one more is missing than failed', 1, [{ id: 1, standIn: false }]],
    ['one is there although it failed', 3, [{ id: 1, standIn: false }]],
  ])('%s: refused', (_, used, failed) => {
    expect(() => check(used, failed)).toThrow(
      expect.objectContaining({ code: 'publish-pictures-lost', exitCode: 5 }),
    );
  });
});
