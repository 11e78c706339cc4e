import { expect, test } from 'vitest';
import {
  countChart,
  funnelChart,
  rateChart,
  weekChart,
} from '../../../src/batches/report/charts.ts';

const named = { id: 'one', title: 'Cars & <vans>', description: '"A": 1; B: 2' };
const half = { ...named, width: 'half' } as const;
const wide = { ...named, width: 'wide' } as const;

/** Attributes of each element of a name, in the order of the chart. */
const elements = (svg: string, name: string): Record<string, string>[] =>
  [...svg.matchAll(new RegExp(`<${name} ([^>]*)>`, 'g'))].map(([, list = '']) =>
    Object.fromEntries(
      [...list.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
    ),
  );

const texts = (svg: string): string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text = '']) => text);

/** Lengths of the bars, as shares of what a whole one has. */
const shares = (svg: string): number[] => {
  const widths = elements(svg, 'rect').map(({ width }) => Number(width));
  return widths.flatMap((width, at) => (at % 2 === 0 ? [] : [width / (widths[at - 1] ?? 0)]));
};

test('a chart has a name and a description, and what people wrote is text in it', () => {
  const svg = rateChart([{ label: '<b>&"', sent: 20, watched: 5 }], half);
  const [{ role, 'aria-labelledby': title, 'aria-describedby': description } = {}] = elements(
    svg,
    'svg',
  );
  expect([role, title, description]).toEqual(['img', 'one-title', 'one-desc']);
  expect(svg).toContain('<title id="one-title">Cars &amp; &lt;vans&gt;</title>');
  expect(svg).toContain('<desc id="one-desc">&quot;A&quot;: 1; B: 2</desc>');
  expect(texts(svg)).toEqual(['&lt;b&gt;&amp;&quot;', '25 % of 20']);
  expect(svg).not.toMatch(/style|class|NaN|undefined/);
});

test('bars are as long as what they stand for', () => {
  const steps = [
    { label: 'Created', count: 4000 },
    { label: 'Sent', count: 1000 },
    { label: 'Watched', count: 0 },
  ];
  const funnel = funnelChart(steps, half);
  expect(texts(funnel)).toContain('1,000 · 25 %');
  for (const svg of [funnel, countChart(steps, half)]) {
    for (const [at, share] of shares(svg).entries())
      expect(share).toBeCloseTo([1, 0.25, 0][at] ?? -1, 3);
  }
  expect(shares(rateChart([{ label: 'a', sent: 10, watched: 5 }], half))[0]).toBeCloseTo(0.5, 3);
  expect(shares(countChart([{ label: 'none', count: 0 }], half))).toEqual([0]);
});

test('long names are cut, also where two are the same then', () => {
  const group = (end: string) => ({
    label: `A very long name of a sender ${end}`,
    sent: 10,
    watched: 5,
  });
  const svg = rateChart([group('a'), group('b')], half);
  expect(texts(svg).filter((text) => text === 'A very long name of…')).toHaveLength(2);
  const [first, , second] = elements(svg, 'rect').map(({ y }) => Number(y));
  expect(second).toBeGreaterThan(first ?? Number.NaN);
});

const week = (at: number, created: number, watched: number, hole = false) => ({
  monday: new Date(Date.UTC(2025, 7, 4) + at * 7 * 86_400_000).toISOString().slice(0, 10),
  created,
  sent: created,
  watched,
  hole,
});

test('weeks stand over their dates, and are shaded within the chart where a hole touches them', () => {
  const weeks = Array.from({ length: 26 }, (_, at) =>
    week(at, 10 * at, at, [0, 9, 25].includes(at)),
  );
  const svg = weekChart(weeks, wide);
  const dots = elements(svg, 'circle').map(({ cx, cy }) => [Number(cx), Number(cy)] as const);
  expect(dots).toHaveLength(52);
  const dates = elements(svg, 'text').filter((text) => text['text-anchor'] === 'middle');
  expect(dates.map(({ x }) => Number(x))).toEqual(
    dots.slice(0, 26).flatMap(([x], at) => (at % 3 === 0 ? [x] : [])),
  );
  expect(texts(svg)).toEqual(expect.arrayContaining(['0', '250', '4 Aug', '6 Oct']));
  const [left = 0, right = 0] = [dots[0]?.[0], dots[25]?.[0]];
  const holes = elements(svg, 'rect').map(({ x, width }) => [Number(x), Number(x) + Number(width)]);
  expect(holes).toHaveLength(3);
  for (const [from = 0, until = 0] of holes) {
    expect(from).toBeGreaterThanOrEqual(left);
    expect(until).toBeLessThanOrEqual(right + 0.01);
    expect(until).toBeGreaterThan(from);
  }
  // Ten times as many were created as were watched.
  const bottom = dots[0]?.[1] ?? 0;
  expect(bottom - (dots[25]?.[1] ?? 0)).toBeCloseTo(10 * (bottom - (dots[51]?.[1] ?? 0)), 0);
});

test('a single week is in the middle', () => {
  const svg = weekChart([week(0, 3, 1, true)], wide);
  expect(elements(svg, 'circle').map(({ cx }) => cx)).toEqual(['514', '514']);
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
});
