import { nice, ticks } from 'd3-array';
import { area, curveMonotoneX, line } from 'd3-shape';
import { escapeHtml } from '../../lib/html.ts';
import type { FunnelStep } from './figures.ts';
import type { Group } from './fold.ts';
import type { ReportWeek } from './weeks.ts';

/** Drawn about as wide as it is shown, so that its letters are as large as the page's. */
const WIDTHS = { wide: 1010, half: 410 } as const;
const FONT_SIZE = 13;
/** Digits after the point of a place: a hundredth of a pixel. */
const DIGITS = 2;

type Attributes = Readonly<Record<string, string | number>>;

/** One element; content is markup already. */
function element(name: string, attributes: Attributes, content = ''): string {
  const list = Object.entries(attributes).map(([key, value]) => {
    const text = typeof value === 'number' ? String(Number(value.toFixed(DIGITS))) : value;
    return ` ${key}="${escapeHtml(text)}"`;
  });
  return `<${name}${list.join('')}>${content}</${name}>`;
}

/** A text whose middle is at the height y. */
const label = (text: string, attributes: Attributes): string =>
  element('text', { dy: '0.32em', ...attributes }, escapeHtml(text));

export interface Accessible {
  /** Unique on the page; the ids of title and description begin with it. */
  id: string;
  title: string;
  description: string;
  width: keyof typeof WIDTHS;
}

/**
 * A chart as one SVG text: a picture with a name and a description for assistive technology, with
 * no style of its own (the page's policy allows none).
 */
function svgOf(
  parts: readonly string[],
  { id, title, description, width, height }: Accessible & { height: number },
): string {
  return element(
    'svg',
    {
      role: 'img',
      'aria-labelledby': `${id}-title`,
      'aria-describedby': `${id}-desc`,
      viewBox: `0 0 ${WIDTHS[width]} ${height}`,
      width: WIDTHS[width],
      height,
      'font-size': FONT_SIZE,
      fill: 'currentColor',
    },
    [
      element('title', { id: `${id}-title` }, escapeHtml(title)),
      element('desc', { id: `${id}-desc` }, escapeHtml(description)),
      ...parts,
    ].join(''),
  );
}

const BARS = { row: 32, bar: 20, margin: 4, notes: 104 } as const;

const longest = (labels: readonly string[]): number =>
  Math.min(196, 18 + 8.2 * Math.max(0, ...labels.map((text) => text.length)));

const clipped = (text: string): string =>
  text.length > 21 ? `${text.slice(0, 20).trimEnd()}…` : text;

interface Bar {
  label: string;
  value: number;
  note: string;
}

/** Bars one below the other; a whole bar is as long as the limit. */
function bars(rows: readonly Bar[], limit: number, accessible: Accessible): string {
  const names = rows.map((row) => clipped(row.label));
  const left = longest(names);
  const right = WIDTHS[accessible.width] - BARS.notes;
  const parts = rows.flatMap(({ value, note }, index) => {
    const middle = BARS.margin + (index + 0.5) * BARS.row;
    const bar = (part: number, fill: string) =>
      element('rect', {
        x: left,
        y: middle - BARS.bar / 2,
        width: part * (right - left),
        height: BARS.bar,
        rx: 4,
        fill,
      });
    return [
      label(names[index] ?? '', { x: left - 9, y: middle, 'text-anchor': 'end' }),
      bar(1, 'var(--track)'),
      bar(value / (limit || 1), 'var(--accent)'),
      label(note, { x: right + 8, y: middle }),
    ];
  });
  return svgOf(parts, { ...accessible, height: rows.length * BARS.row + 2 * BARS.margin });
}

const percent = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(0)} %`;

/** Steps one below the other, each as a share of the first. */
export function funnelChart(steps: readonly FunnelStep[], accessible: Accessible): string {
  const whole = steps[0]?.count ?? 0;
  const rows = steps.map(({ label, count }) => ({
    label,
    value: count,
    note: `${count.toLocaleString('en-GB')} · ${percent(count, whole)}`,
  }));
  return bars(rows, whole, accessible);
}

/** Share of sent batches that were watched, by group. */
export function rateChart(groups: readonly Group[], accessible: Accessible): string {
  const rows = groups.map(({ label, sent, watched }) => ({
    label,
    value: sent === 0 ? 0 : (100 * watched) / sent,
    note: `${percent(watched, sent)} of ${sent.toLocaleString('en-GB')}`,
  }));
  return bars(rows, 100, accessible);
}

/** Counts side by side; the longest bar is the largest count. */
export function countChart(steps: readonly FunnelStep[], accessible: Accessible): string {
  const rows = steps.map(({ label, count }) => ({
    label,
    value: count,
    note: count.toLocaleString('en-GB'),
  }));
  return bars(rows, Math.max(...steps.map(({ count }) => count)), accessible);
}

const WEEKS = { height: 250, top: 12, right: 984, bottom: 218, left: 44 } as const;
/** Most dates below the chart. */
const MOST_DATES = 9;
/** About as many counts beside it. */
const MOST_COUNTS = 5;

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Batches created and watched, week by week; weeks that a hole touches are shaded. */
export function weekChart(weeks: readonly ReportWeek[], accessible: Accessible): string {
  const { top, right, bottom, left } = WEEKS;
  const most = Math.max(4, ...weeks.map(({ created }) => created));
  const [, highest] = nice(0, most, MOST_COUNTS);
  const step = (right - left) / Math.max(1, weeks.length - 1);
  const x = (index: number): number =>
    weeks.length === 1 ? (left + right) / 2 : left + index * step;
  const y = (count: number): number => bottom - (count / highest) * (bottom - top);

  const holes = weeks.flatMap(({ hole }, index) => {
    const from = Math.max(left, x(index) - step / 2);
    const width = Math.min(right, x(index) + step / 2) - from;
    const box = { x: from, y: top, width, height: bottom - top, fill: 'var(--warn-soft)' };
    return hole ? [element('rect', box)] : [];
  });
  const scale = ticks(0, highest, MOST_COUNTS).flatMap((count) => [
    element('line', { x1: left, x2: right, y1: y(count), y2: y(count), stroke: 'var(--line)' }),
    label(count.toLocaleString('en-GB'), { x: left - 9, y: y(count), 'text-anchor': 'end' }),
  ]);
  const every = Math.ceil(weeks.length / MOST_DATES);
  const dates = weeks.flatMap(({ monday }, index) => {
    const place = { x: x(index), y: bottom + 20, 'text-anchor': 'middle' };
    return index % every === 0 ? [label(day.format(new Date(monday)), place)] : [];
  });
  const lineOf = (key: 'created' | 'watched', color: string): string[] => {
    const path = line<ReportWeek>(
      (_, index) => x(index),
      (week) => y(week[key]),
    );
    const d = path.curve(curveMonotoneX).digits(DIGITS)(weeks) ?? '';
    const dots = weeks.map((week, index) =>
      element('circle', { cx: x(index), cy: y(week[key]), r: 3, fill: color }),
    );
    return [element('path', { d, fill: 'none', stroke: color, 'stroke-width': 2.5 }), ...dots];
  };
  const below = area<ReportWeek>(
    (_, index) => x(index),
    bottom,
    ({ created }) => y(created),
  );
  const parts = [
    ...holes,
    ...scale,
    ...dates,
    element('path', {
      d: below.curve(curveMonotoneX).digits(DIGITS)(weeks) ?? '',
      fill: 'var(--accent-soft)',
    }),
    ...lineOf('created', 'var(--accent)'),
    ...lineOf('watched', 'var(--second)'),
  ];
  return svgOf(parts, { ...accessible, height: WEEKS.height });
}
