import { nice, ticks } from 'd3-array';
import { numberText } from '../../lib/terminal/count-text.ts';
import type { ReportWeek } from './figures.ts';

/** About the width on the page, so that the text has its normal size. */
const SIZE = { width: 1010, height: 250, top: 12, right: 984, bottom: 218, left: 44 } as const;
/** Rounds a coordinate to a hundredth of a pixel. */
const round = (value: number): number => Number(value.toFixed(2));
/** Maximum number of dates below the chart. */
const MOST_DATES = 9;
/** Approximate number of counts next to the chart. */
const MOST_COUNTS = 5;

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Batches created and watched per week. Weeks that overlap a hole are shaded. */
export function weekChart(weeks: readonly ReportWeek[]) {
  const { top, right, bottom, left } = SIZE;
  const largest = Math.max(4, ...weeks.map(({ created }) => created));
  const [, highest] = nice(0, largest, MOST_COUNTS);
  const step = (right - left) / Math.max(1, weeks.length - 1);
  const x = (index: number): number =>
    round(weeks.length === 1 ? (left + right) / 2 : left + index * step);
  const y = (value: number): number => round(bottom - (value / highest) * (bottom - top));
  const datesEvery = Math.ceil(weeks.length / MOST_DATES);
  const dotsOf = (key: 'created' | 'watched') =>
    weeks.map((week, index) => [x(index), y(week[key])]);
  return {
    ...SIZE,
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
    lines: [
      { dots: dotsOf('created'), color: 'var(--accent)' },
      { dots: dotsOf('watched'), color: 'var(--second)' },
    ],
  };
}
