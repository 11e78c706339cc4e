import { nice, ticks } from 'd3-array';
import { area, curveMonotoneX, line } from 'd3-shape';
import { cut } from '../../lib/cut.ts';
import { numberText } from '../../lib/terminal/count-text.ts';
import type { ReportWeek } from './figures.ts';

/** Widths of the charts. They are close to the widths on the page, so that the text has its normal size. */
const WIDTHS = { wide: 1010, half: 410 } as const;
/** Decimal places of a coordinate: a hundredth of a pixel. */
const DIGITS = 2;
const round = (value: number): number => Number(value.toFixed(DIGITS));

/** One bar of a chart. `share` is its length, from 0 to 1. */
export interface Bar {
  label: string;
  share: number;
  note: string;
}

const BARS = { row: 32, margin: 4, notes: 104 } as const;

/**
 * Layout of horizontal bars: their left end, the length of a full bar, and the middle of each bar. With a description
 * for assistive technology.
 */
export function barChart(bars: readonly Bar[]) {
  const labels = bars.map(({ label }) => cut(label, 21));
  const longest = Math.max(0, ...labels.map((text) => text.length));
  const left = Math.min(196, 18 + 8.2 * longest);
  const length = WIDTHS.half - BARS.notes - left;
  return {
    width: WIDTHS.half,
    description: bars.map(({ label, note }) => `${label}: ${note}`).join('; '),
    empty: bars.length === 0,
    height: bars.length * BARS.row + 2 * BARS.margin,
    left: round(left),
    length: round(length),
    bars: bars.map(({ share, note }, index) => ({
      label: labels[index] ?? '',
      note,
      middle: BARS.margin + (index + 0.5) * BARS.row,
      length: round(share * length),
    })),
  };
}

const WEEKS = { height: 250, top: 12, right: 984, bottom: 218, left: 44 } as const;
/** Maximum number of dates below the chart. */
const MOST_DATES = 9;
/** Approximate number of counts next to the chart. */
const MOST_COUNTS = 5;

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Batches created and watched per week. Weeks that overlap a hole are shaded. */
export function weekChart(weeks: readonly ReportWeek[]) {
  const { top, right, bottom, left } = WEEKS;
  const largest = Math.max(4, ...weeks.map(({ created }) => created));
  const [, highest] = nice(0, largest, MOST_COUNTS);
  const step = (right - left) / Math.max(1, weeks.length - 1);
  const x = (index: number): number =>
    round(weeks.length === 1 ? (left + right) / 2 : left + index * step);
  const y = (value: number): number => round(bottom - (value / highest) * (bottom - top));
  const datesEvery = Math.ceil(weeks.length / MOST_DATES);
  const lineOf = (key: 'created' | 'watched', color: string) => {
    const path = line<ReportWeek>(
      (_, index) => x(index),
      (week) => y(week[key]),
    );
    const dots = weeks.map((week, index) => ({ x: x(index), y: y(week[key]) }));
    return { path: path.curve(curveMonotoneX).digits(DIGITS)(weeks) ?? '', color, dots };
  };
  /** The area below the line of created batches. */
  const below = area<ReportWeek>(
    (_, index) => x(index),
    bottom,
    ({ created }) => y(created),
  );
  return {
    ...WEEKS,
    width: WIDTHS.wide,
    description: `${weeks.length} weeks from ${weeks[0]?.monday}; the numbers follow the chart.`,
    empty: weeks.length === 0,
    holes: weeks.flatMap(({ hole }, index) => {
      const from = Math.max(left, x(index) - step / 2);
      const until = Math.min(right, x(index) + step / 2);
      return hole ? [{ x: round(from), width: round(until - from) }] : [];
    }),
    counts: ticks(0, highest, MOST_COUNTS).map((value) => ({
      y: y(value),
      text: numberText(value),
    })),
    dates: weeks.flatMap(({ monday }, index) =>
      index % datesEvery === 0 ? [{ x: x(index), text: day.format(new Date(monday)) }] : [],
    ),
    below: below.curve(curveMonotoneX).digits(DIGITS)(weeks) ?? '',
    lines: [lineOf('created', 'var(--accent)'), lineOf('watched', 'var(--second)')],
  };
}
