import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { sum } from 'd3-array';
import nunjucks from 'nunjucks';
import { numberText } from '../../lib/terminal/count-text.ts';
import { settleRuns } from '../export/ledger.ts';
import { planOutput, writeOutput } from '../export/output.ts';
import { lockExports } from '../store/locks.ts';
import type { HistoryStore } from '../store/open.ts';
import type { AccountFigures, PeriodCounts } from './accounts.ts';
import { weekChart } from './charts.ts';
import { type Figures, type FunnelStep, figuresOf, SMALLEST_GROUP } from './figures.ts';

const share = (part: number, all: number, digits = 1): string =>
  all === 0 ? '–' : `${((100 * part) / all).toFixed(digits)} %`;

/** The same for the length of a bar. */
const percent = (part: number, all: number): number => (all === 0 ? 0 : (100 * part) / all);

const moment = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

function hours(value: number | undefined): string {
  if (value === undefined) return '–';
  if (value < 1) return `${Math.round(value * 60)} min`;
  return value < 48 ? `${value.toFixed(1)} h` : `${(value / 24).toFixed(1)} days`;
}

const total = (steps: readonly FunnelStep[]): number => sum(steps, ({ count }) => count);

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

/** Functions of the template. */
const GLOBALS = { SMALLEST_GROUP, compared, lastPullText, percent, share, total };

/**
 * The report as one HTML page without scripts and requests, with an inline style sheet. It depends only on the history,
 * so the same history gives the same page.
 */
function reportPage(figures: Figures): string {
  const { funnel, accounts } = figures;
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
  return environment.render('report.njk', {
    ...figures,
    style,
    styleHash: createHash('sha256').update(style).digest('base64'),
    steps: Object.fromEntries(funnel.map((step) => [step.label, step.count])),
    chart: weekChart(figures.weeks),
    openHoles: accounts.flatMap(({ account, holes }) =>
      holes.filter(({ filled }) => filled === null).map((hole) => ({ account, ...hole })),
    ),
  });
}

/**
 * Writes the report into a folder as `index.html`. Only its owner can read it.
 *
 * @returns the path of the page.
 * @throws {ConfigError} nothing was pulled yet, the folder belongs to the site, or it has a page that this program did
 *   not write.
 */
export async function writeHistoryReport(
  store: HistoryStore,
  { folder, account, force }: { folder: string; account?: string; force?: boolean },
): Promise<string> {
  const figures = figuresOf(store.db, account);
  const page = reportPage(figures);
  using _lock = lockExports(store);
  settleRuns(store);
  const output = planOutput(store, path.join(folder, 'index.html'), { force });
  await writeOutput(store, output, [page], () => ({ from: 0, to: 0, rows: 1 }));
  return output.output;
}
