import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import nunjucks from 'nunjucks';
import type { AccountStatus } from '../store/status.ts';
import type { AccountFigures, PeriodCounts } from './accounts.ts';
import { type Bar, barChart, count, WIDTHS, weekChart } from './charts.ts';
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

/** A chart with an explanation and a table of its numbers. */
interface Card {
  id: string;
  heading: string;
  text: string;
  /** Description of the chart for assistive technology. */
  description: string;
  head: string[];
  rows: (string | number)[][];
  empty: boolean;
  bars?: ReturnType<typeof barChart>;
  weeks?: ReturnType<typeof weekChart>;
}

const total = (steps: readonly FunnelStep[]): number =>
  steps.reduce((sum, step) => sum + step.count, 0);

const barCard = (bars: readonly Bar[], card: Omit<Card, 'description' | 'bars'>): Card => ({
  ...card,
  description: bars.map(({ label, note }) => `${label}: ${note}`).join('; '),
  bars: barChart(bars),
});

/** A card of counts. By default, the longest bar is the largest count. */
function stepsCard(
  steps: readonly FunnelStep[],
  card: Omit<Card, 'description' | 'bars' | 'empty'>,
  full = Math.max(...steps.map((step) => step.count)),
  note = count,
): Card {
  const bars = steps.map((step) => ({
    label: step.label,
    share: step.count / (full || 1),
    note: note(step.count),
  }));
  return barCard(bars, { ...card, empty: total(steps) === 0 });
}

function rateCard(id: string, heading: string, name: string, groups: readonly Group[]): Card {
  const bars = groups.map(({ label, sent, watched }) => ({
    label,
    share: watched / (sent || 1),
    note: `${share(watched, sent, 0)} of ${count(sent)}`,
  }));
  return barCard(bars, {
    id,
    heading,
    text: `Share of sent batches that were watched. Groups with fewer than ${SMALLEST_GROUP} sent batches are combined, or left out if they are still too small.`,
    head: [name, 'Sent', 'Watched', 'Watch rate'],
    rows: groups.map(({ label, sent, watched }) => [label, sent, watched, share(watched, sent)]),
    empty: groups.length === 0,
  });
}

function cards(figures: Figures): Card[] {
  const { funnel, actionsLeftOut, waiting, weeks, clicks } = figures;
  const full = funnel[0]?.count ?? 0;
  const { buckets, negative } = waiting;
  const negativeNote =
    negative > 0
      ? ` ${count(negative)} were watched before the stated time of sending and are left out.`
      : '';
  const quantilesNote =
    waiting.median === undefined
      ? ''
      : ` Half within ${hours(waiting.median)}, nine in ten within ${hours(waiting.ninetieth)}.`;
  const actionsNote =
    actionsLeftOut > 0
      ? ` ${actionsLeftOut === 1 ? '1 batch has' : `${count(actionsLeftOut)} batches have`} an action, but no date of sending or no view. No figure includes these actions.`
      : '';
  return [
    stepsCard(
      funnel,
      {
        id: 'funnel',
        heading: 'From created to acted',
        text: `Each step counts only batches that took all steps before it.${actionsNote}`,
        head: ['Step', 'Batches', 'Of created', 'Of the step before'],
        rows: funnel.map(({ label, count: n }, index) => [
          label,
          n,
          share(n, full),
          index === 0 ? '–' : share(n, funnel[index - 1]?.count ?? 0),
        ]),
      },
      full,
      (n) => `${count(n)} · ${share(n, full, 0)}`,
    ),
    stepsCard(buckets, {
      id: 'waiting',
      heading: 'Time to first watch',
      text: `From sending to the first view.${quantilesNote}${negativeNote}`,
      head: ['Time', 'Batches', 'Share'],
      rows: buckets.map(({ label, count: n }) => [label, n, share(n, total(buckets))]),
    }),
    {
      id: 'weeks',
      heading: 'Week by week',
      text: 'Full weeks, Monday to Sunday, by the day of creation. The current week is left out. An account is included from the start of its history. Recent weeks still gain views.',
      description: `${weeks.length} weeks${weeks[0] ? ` from ${weeks[0].monday}` : ''}; the numbers follow the chart.`,
      head: ['Week from', 'Created', 'Sent', 'Watched', 'Watch rate', 'Covered by pulls'],
      rows: weeks.map(({ monday, created, sent, watched, hole }) => [
        monday,
        created,
        sent,
        watched,
        share(watched, sent),
        hole ? 'no' : 'yes',
      ]),
      weeks: weekChart(weeks),
      empty: weeks.length === 0,
    },
    rateCard('senders', 'Watch rate by sending user', 'Sending user', figures.senders),
    rateCard('products', 'Watch rate by product type', 'Product type', figures.products),
    stepsCard(clicks, {
      id: 'clicks',
      heading: 'Plays and clicks by kind',
      text: 'Sums over all batches. The numbers of each batch are from the last pull that received it.',
      head: ['Kind', 'Count'],
      rows: clicks.map(({ label, count: n }) => [label, n]),
    }),
  ];
}

function tilesOf({ funnel, waiting }: Figures): string[][] {
  const [created = 0, sent = 0, watched = 0, acted = 0] = funnel.map((step) => step.count);
  return [
    ['Batches', count(created), `${count(sent)} sent`],
    ['Watch rate', share(watched, sent), `${count(watched)} watched`],
    [
      'First watched after',
      hours(waiting.median),
      waiting.ninetieth === undefined ? 'none' : `nine in ten within ${hours(waiting.ninetieth)}`,
    ],
    ['Acted after watching', share(acted, watched), `${count(acted)} acted`],
  ];
}

/** A value with the value of the period before, if both are known and differ. */
function compared(
  { current, previous }: AccountFigures,
  textOf: (counts: PeriodCounts) => string,
): string {
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

const rateOf = ({ sent, watched }: PeriodCounts): string => share(watched, sent, 0);

function byAccountOf({ byAccount, comparedWeeks }: Figures) {
  const weeks = comparedWeeks === 1 ? 'week' : `${comparedWeeks} weeks`;
  return {
    text: `The last full ${weeks} by the day of creation. Values of the ${weeks} before are in brackets, if they differ and pulls cover all of that time. A dash: pulls do not cover all of the last ${weeks}, or nothing was sent.`,
    head: ['Account', 'Sent', 'Watch rate', 'Plays', 'Acted', 'Last pull'],
    rows: byAccount.map((figures) => [
      figures.account,
      compared(figures, ({ sent }) => count(sent)),
      compared(figures, rateOf),
      compared(figures, ({ plays }) => count(plays)),
      compared(figures, ({ acted }) => count(acted)),
      lastPullText(figures),
    ]),
  };
}

const historyOf = ({ coveredFrom, coveredUntil }: AccountStatus): string =>
  coveredFrom && coveredUntil ? `${coveredFrom.slice(0, 10)} to ${coveredUntil.slice(0, 10)}` : '–';

const freshnessOf = (accounts: Figures['accounts']) => ({
  head: [
    'Account',
    'Last pull',
    'History',
    'Batches',
    'Versions',
    'Out of the window',
    'Unreadable',
    'Oddities',
  ],
  rows: accounts.map((account) => [
    account.account,
    moment(account.lastPull),
    historyOf(account),
    account.batches,
    account.versions,
    account.outOfWindow,
    account.quarantined,
    account.driftTotal,
  ]),
});

/**
 * The report as one HTML page without scripts and requests, with an inline style sheet. It depends only on the history,
 * so the same history gives the same page.
 */
export function reportPage(figures: Figures): string {
  const { asOf, account, accounts } = figures;
  const folder = import.meta.dirname;
  const loader = new nunjucks.FileSystemLoader(folder);
  const options = { autoescape: true, trimBlocks: true, lstripBlocks: true };
  const environment = new nunjucks.Environment(loader, options);
  environment.addFilter('moment', moment);
  environment.addFilter('cell', (cell) => (typeof cell === 'number' ? count(cell) : cell));
  environment.addGlobal('widths', WIDTHS);
  // The page's content security policy contains the hash of its style.
  const style = readFileSync(path.join(folder, 'report.css'), 'utf8');
  return environment.render('report.njk', {
    asOf,
    account,
    style,
    styleHash: createHash('sha256').update(style).digest('base64'),
    tiles: tilesOf(figures),
    cards: cards(figures),
    holes: accounts.flatMap(({ account, holes }) =>
      holes.filter(({ filled }) => filled === null).map((hole) => ({ account, ...hole })),
    ),
    byAccount: figures.byAccount.length > 1 ? byAccountOf(figures) : undefined,
    freshness: freshnessOf(accounts),
  });
}
