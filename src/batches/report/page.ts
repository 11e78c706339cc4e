import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { sum } from 'd3-array';
import nunjucks from 'nunjucks';
import { numberText } from '../../lib/terminal/count-text.ts';
import type { AccountStatus } from '../store/status.ts';
import type { AccountFigures, PeriodCounts } from './accounts.ts';
import { barChart, weekChart } from './charts.ts';
import { type Figures, type FunnelStep, type Group, SMALLEST_GROUP } from './figures.ts';

const share = (part: number, all: number, digits = 1): string =>
  all === 0 ? '–' : `${((100 * part) / all).toFixed(digits)} %`;

const moment = (iso: string | null): string =>
  iso === null ? '–' : `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

function hours(value: number | undefined): string {
  if (value === undefined) return '–';
  if (value < 1) return `${Math.round(value * 60)} min`;
  return value < 48 ? `${value.toFixed(1)} h` : `${(value / 24).toFixed(1)} days`;
}

const total = (steps: readonly FunnelStep[]): number => sum(steps, ({ count }) => count);

/** Bars of counts, or none if all are zero. By default, the longest bar is the largest count. */
const stepBars = (
  steps: readonly FunnelStep[],
  full = Math.max(...steps.map(({ count }) => count)),
  noteOf = numberText,
) =>
  barChart(
    steps.flatMap(({ label, count }) =>
      full === 0 ? [] : { label, share: count / full, note: noteOf(count) },
    ),
  );

const rateBars = (groups: readonly Group[]) =>
  barChart(
    groups.map(({ label, sent, watched }) => ({
      label,
      share: watched / sent,
      note: `${share(watched, sent, 0)} of ${numberText(sent)}`,
    })),
  );

/** A value with the value of the period before, if both are known and differ. */
function compared(
  { current, previous }: AccountFigures,
  name: keyof PeriodCounts | 'rate',
): string {
  const textOf = (counts: PeriodCounts) =>
    name === 'rate' ? share(counts.watched, counts.sent, 0) : numberText(counts[name]);
  if (!current) return '–';
  const now = textOf(current);
  const before = previous ? textOf(previous) : now;
  return now === before ? now : `${now} (before: ${before})`;
}

const lastPullText = ({ failed, notPulledSince }: AccountFigures): string =>
  [
    ...(failed === undefined ? [] : [`failed: ${failed}`]),
    ...(notPulledSince === undefined ? [] : [`none since ${notPulledSince.slice(0, 10)}`]),
  ].join(', ') || 'ok';

const historyOf = ({ coveredFrom, coveredUntil }: AccountStatus): string =>
  coveredFrom && coveredUntil ? `${coveredFrom.slice(0, 10)} to ${coveredUntil.slice(0, 10)}` : '–';

/** Functions of the template. */
const GLOBALS = { SMALLEST_GROUP, compared, historyOf, lastPullText, share, total };

/**
 * The report as one HTML page without scripts and requests, with an inline style sheet. It depends only on the history,
 * so the same history gives the same page.
 */
export function reportPage(figures: Figures): string {
  const { funnel, waiting, accounts } = figures;
  const folder = import.meta.dirname;
  const loader = new nunjucks.FileSystemLoader(folder);
  const options = { autoescape: true, trimBlocks: true, lstripBlocks: true };
  const environment = new nunjucks.Environment(loader, options);
  for (const [name, filter] of Object.entries({ count: numberText, hours, moment })) {
    environment.addFilter(name, filter);
  }
  for (const [name, value] of Object.entries(GLOBALS)) environment.addGlobal(name, value);
  // The page's content security policy contains the hash of its style.
  const style = readFileSync(path.join(folder, 'report.css'), 'utf8');
  const full = funnel[0]?.count ?? 0;
  return environment.render('report.njk', {
    ...figures,
    style,
    styleHash: createHash('sha256').update(style).digest('base64'),
    steps: Object.fromEntries(funnel.map((step) => [step.label, step.count])),
    charts: {
      funnel: stepBars(funnel, full, (value) => `${numberText(value)} · ${share(value, full, 0)}`),
      waiting: stepBars(waiting.buckets),
      weeks: weekChart(figures.weeks),
      senders: rateBars(figures.senders),
      products: rateBars(figures.products),
      clicks: stepBars(figures.clicks),
    },
    openHoles: accounts.flatMap(({ account, holes }) =>
      holes.filter(({ filled }) => filled === null).map((hole) => ({ account, ...hole })),
    ),
  });
}
