import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { Step } from './figures.ts';
import type { Group } from './fold.ts';
import type { Week } from './weeks.ts';

const { document } = parseHTML('<!doctype html><html><body></body></html>');

/** Drawn about as wide as it is shown, so that its letters are as large as the page's. */
const WIDTHS = { wide: 1010, half: 410 } as const;
const FONT_SIZE = 13;
const ROW = 34;
const SVG = 'http://www.w3.org/2000/svg';

/** The little of an element that is used here; the project has no types of a browser. */
interface Drawn {
  firstChild: unknown;
  textContent: string;
  outerHTML: string;
  querySelectorAll(selector: string): Iterable<Drawn>;
  insertBefore(child: Drawn, before: unknown): void;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
}

export interface Accessible {
  /** Unique on the page; the ids of title and description begin with it. */
  id: string;
  title: string;
  description: string;
  width: keyof typeof WIDTHS;
}

/**
 * A chart as one SVG text: a picture with a name and a description for assistive technology, no
 * style of its own (the page's policy allows none) and no inner labels, which would be read aloud
 * one by one.
 */
function svgOf(options: Plot.PlotOptions, { id, title, description, width }: Accessible): string {
  const svg = Plot.plot({
    ...options,
    document: document as never,
    width: WIDTHS[width],
  }) as unknown as Drawn;
  for (const style of svg.querySelectorAll('style')) style.remove();
  for (const part of [svg, ...svg.querySelectorAll('*')]) {
    for (const name of ['aria-label', 'aria-hidden', 'style', 'class']) part.removeAttribute(name);
  }
  const labels = [
    ['desc', description],
    ['title', title],
  ] as const;
  for (const [name, text] of labels) {
    const element = document.createElementNS(SVG, name) as unknown as Drawn;
    element.setAttribute('id', `${id}-${name}`);
    element.textContent = text;
    svg.insertBefore(element, svg.firstChild);
  }
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-labelledby', `${id}-title`);
  svg.setAttribute('aria-describedby', `${id}-desc`);
  svg.setAttribute('font-size', String(FONT_SIZE));
  return svg.outerHTML;
}

const longest = (labels: readonly string[]): number =>
  Math.min(196, 18 + 8.2 * Math.max(0, ...labels.map((label) => label.length)));

const clipped = (label: string): string =>
  label.length > 21 ? `${label.slice(0, 20).trimEnd()}…` : label;

interface Bar {
  label: string;
  value: number;
  note: string;
}

function bars(rows: readonly Bar[], limit: number, accessible: Accessible): string {
  // Two rows may share a clipped label, so the place is the row's number.
  const names = rows.map(({ label }) => clipped(label));
  const data = rows.map((row, index) => ({ ...row, place: index }));
  return svgOf(
    {
      height: rows.length * ROW + 8,
      marginLeft: longest(names),
      marginRight: 104,
      marginTop: 4,
      marginBottom: 4,
      x: { domain: [0, limit || 1], axis: null },
      y: {
        domain: data.map(({ place }) => place),
        label: null,
        tickSize: 0,
        tickFormat: (place: number) => names[place] ?? '',
        padding: 0.35,
      },
      marks: [
        Plot.barX(data, { x1: 0, x2: limit || 1, y: 'place', fill: 'var(--track)', rx: 4 }),
        Plot.barX(data, { x: 'value', y: 'place', fill: 'var(--accent)', rx: 4 }),
        Plot.text(data, {
          x: () => limit || 1,
          y: 'place',
          text: 'note',
          textAnchor: 'start',
          dx: 8,
          fill: 'var(--text)',
        }),
      ],
    },
    accessible,
  );
}

const percent = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(0)} %`;

/** Steps one below the other, each as a share of the first. */
export function funnelChart(steps: readonly Step[], accessible: Accessible): string {
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
export function countChart(steps: readonly Step[], accessible: Accessible): string {
  const rows = steps.map(({ label, count }) => ({
    label,
    value: count,
    note: count.toLocaleString('en-GB'),
  }));
  return bars(rows, Math.max(...steps.map(({ count }) => count)), accessible);
}

const HALF_WEEK = 3.5 * 86_400_000;

/** Batches created and watched, week by week; weeks that a hole touches are shaded. */
export function weekChart(weeks: readonly Week[], accessible: Accessible): string {
  const data = weeks.map((week) => ({ ...week, date: new Date(`${week.monday}T00:00:00Z`) }));
  const most = Math.max(4, ...weeks.map(({ created }) => created));
  const line = (key: 'created' | 'watched', stroke: string) => [
    Plot.lineY(data, { x: 'date', y: key, stroke, strokeWidth: 2.5, curve: 'monotone-x' }),
    Plot.dot(data, { x: 'date', y: key, fill: stroke, r: 3 }),
  ];
  return svgOf(
    {
      height: 260,
      marginLeft: 44,
      marginRight: 16,
      marginTop: 12,
      marginBottom: 34,
      x: {
        type: 'utc',
        label: null,
        ticks: Math.min(8, weeks.length),
        tickSize: 0,
        tickPadding: 10,
      },
      y: { domain: [0, most], nice: true, label: null, ticks: 5, tickSize: 0 },
      marks: [
        Plot.rectY(
          data.filter(({ hole }) => hole),
          {
            x1: ({ date }) => +date - HALF_WEEK,
            x2: ({ date }) => +date + HALF_WEEK,
            y1: 0,
            y2: most,
            fill: 'var(--warn-soft)',
          },
        ),
        Plot.gridY({ stroke: 'var(--line)', strokeOpacity: 1, ticks: 5 }),
        Plot.areaY(data, {
          x: 'date',
          y: 'created',
          fill: 'var(--accent-soft)',
          curve: 'monotone-x',
        }),
        ...line('created', 'var(--accent)'),
        ...line('watched', 'var(--second)'),
      ],
    },
    accessible,
  );
}
