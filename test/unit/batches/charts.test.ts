import { expect, test } from 'vitest';
import { weekChart } from '../../../src/batches/report/charts.ts';

const week = (at: number, created: number, watched: number, hole = false) => ({
  monday: new Date(Date.UTC(2025, 7, 4) + at * 7 * 86_400_000).toISOString().slice(0, 10),
  created,
  sent: created,
  watched,
  hole,
});

test('weeks are above their dates, and weeks with holes are shaded within the chart', () => {
  const weeks = Array.from({ length: 26 }, (_, at) =>
    week(at, 10 * at, at, [0, 9, 25].includes(at)),
  );
  const { dates, counts, holes, lines, left, right, bottom } = weekChart(weeks);
  const [created, watched] = lines.map(({ dots }) => dots);
  expect([created?.length, watched?.length]).toEqual([26, 26]);
  expect(dates.map(({ x }) => x)).toEqual(created?.filter((_, at) => at % 3 === 0).map(([x]) => x));
  expect(dates.slice(0, 4).map(({ text }) => text)).toEqual([
    '4 Aug',
    '25 Aug',
    '15 Sept',
    '6 Oct',
  ]);
  expect([counts[0]?.text, counts.at(-1)?.text]).toEqual(['0', '250']);
  expect(holes).toHaveLength(3);
  for (const { x, width } of holes) {
    expect(x).toBeGreaterThanOrEqual(left);
    expect(x + width).toBeLessThanOrEqual(right + 0.01);
    expect(width).toBeGreaterThan(0);
  }
  // Ten times as many batches were created as watched.
  const height = ([, y = 0]: readonly number[] = []) => bottom - y;
  expect(height(created?.at(-1))).toBeCloseTo(10 * height(watched?.at(-1)), 0);
});
