import { expect, test } from 'vitest';
import { weekChart } from '../../../src/batches/report/charts.ts';
import type { Figures } from '../../../src/batches/report/figures.ts';
import { reportPage } from '../../../src/batches/report/page.ts';

/** The charts of a report with these figures, by id. */
function charts(figures: Partial<Figures>): Map<string, string> {
  const page = reportPage({
    asOf: '2026-03-01T06:00:00.000Z',
    account: undefined,
    funnel: [{ label: 'Created', count: 4000 }],
    actionsLeftOut: 0,
    senders: [],
    products: [],
    waiting: {
      buckets: [{ label: 'under 1 hour', count: 0 }],
      median: 1,
      ninetieth: 1,
      negative: 0,
    },
    weeks: [],
    clicks: [{ label: 'Video plays', count: 0 }],
    comparedWeeks: 4,
    byAccount: [],
    accounts: [],
    ...figures,
  });
  const found = page.matchAll(/<svg [^>]*aria-labelledby="(\w+)-title".*?<\/svg>/gs);
  return new Map([...found].map(([svg, id = '']) => [id, svg]));
}

const texts = (svg = ''): string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text = '']) => text);

test('bars are proportional to their counts, and a funnel to its first step', () => {
  const steps = [
    { label: 'Created', count: 4000 },
    { label: 'Sent', count: 1000 },
    { label: 'Watched', count: 0 },
  ];
  const funnel = charts({ funnel: steps });
  const clicks = charts({ clicks: steps });
  expect(texts(funnel.get('funnel'))).toContain('1,000 · 25 %');
  for (const svg of [funnel.get('funnel'), clicks.get('clicks')]) {
    const lengths = [...(svg ?? '').matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, w]) =>
      Number(w),
    );
    const [full = 0] = lengths;
    expect(lengths[1]).toBe(full);
    expect((lengths[3] ?? 0) / full).toBeCloseTo(0.25, 3);
    expect(lengths[5]).toBe(0);
  }
  expect([...clicks.keys()]).toEqual(['funnel', 'clicks']);
});

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
  expect(dates.map(({ x }) => x)).toEqual(
    created?.filter((_, at) => at % 3 === 0).map(({ x }) => x),
  );
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
  const height = (dot: { y: number } | undefined) => bottom - (dot?.y ?? 0);
  expect(height(created?.at(-1))).toBeCloseTo(10 * height(watched?.at(-1)), 0);
});
