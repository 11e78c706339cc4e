import { createHash } from 'node:crypto';
import { escapeHtml } from '../../lib/html.ts';
import type { AccountStatus } from '../store/status.ts';
import { type Accessible, countChart, funnelChart, rateChart, weekChart } from './charts.ts';
import type { Figures } from './figures.ts';
import { type Group, SMALLEST_GROUP } from './fold.ts';
import { count, type Table, tableHtml } from './html.ts';
import { STYLE } from './style.ts';

const share = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;

const moment = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

function hours(value: number | undefined): string {
  if (value === undefined) return '–';
  if (value < 1) return `${Math.round(value * 60)} min`;
  return value < 48 ? `${value.toFixed(1)} h` : `${(value / 24).toFixed(1)} days`;
}

interface Card {
  id: string;
  heading: string;
  text: string;
  description: string;
  table: Table;
  draw: (accessible: Accessible) => string;
  wide?: boolean;
  legend?: string;
  empty: boolean;
}

function cardHtml({ id, heading, text, description, table, draw, ...rest }: Card): string {
  const picture = rest.empty
    ? '<p class="note">Not enough batches yet.</p>'
    : `<div class="plot ${rest.wide ? 'long' : 'short'}" role="group" aria-label="Chart: ${escapeHtml(heading)}" tabindex="0">${draw({ id, title: heading, description, width: rest.wide ? 'wide' : 'half' })}</div>`;
  return `<section aria-labelledby="${id}-heading"${rest.wide ? ' class="wide"' : ''}>
<h2 id="${id}-heading">${escapeHtml(heading)}</h2>
<p class="note">${escapeHtml(text)}</p>
${rest.empty ? '' : (rest.legend ?? '')}
${picture}
<details><summary>The numbers of “${escapeHtml(heading)}”</summary>${tableHtml(table)}</details>
</section>`;
}

function rateCard(id: string, heading: string, name: string, groups: readonly Group[]): string {
  return cardHtml({
    id,
    heading,
    text: `Share of sent batches that were watched. Fewer than ${SMALLEST_GROUP} sent batches are not shown on their own.`,
    description: groups
      .map(({ label, sent, watched }) => `${label}: ${share(watched, sent)} of ${sent}`)
      .join('; '),
    table: {
      caption: heading,
      head: [name, 'Sent', 'Watched', 'Watch rate'],
      rows: groups.map(({ label, sent, watched }) => [label, sent, watched, share(watched, sent)]),
    },
    draw: (accessible) => rateChart(groups, accessible),
    empty: groups.length === 0,
  });
}

function tiles({ funnel, waiting }: Figures): string {
  const [created = 0, sent = 0, watched = 0, acted = 0] = funnel.map((step) => step.count);
  const list: [string, string, string][] = [
    ['Batches', count(created), `${count(sent)} sent`],
    ['Watch rate', share(watched, sent), `${count(watched)} watched`],
    [
      'First watched after',
      hours(waiting.median),
      `nine in ten within ${hours(waiting.ninetieth)}`,
    ],
    ['Acted after watching', share(acted, watched), `${count(acted)} customers' actions`],
  ];
  return `<dl class="tiles">${list
    .map(
      ([name, value, note]) =>
        `<div class="tile"><dt>${name}</dt><dd>${escapeHtml(value)}<small>${escapeHtml(note)}</small></dd></div>`,
    )
    .join('')}</dl>`;
}

function cards({ funnel, senders, products, waiting, weeks, clicks }: Figures): string[] {
  const whole = funnel[0]?.count ?? 0;
  const waited = waiting.buckets.reduce((sum, step) => sum + step.count, 0);
  const holes = weeks.some(({ hole }) => hole);
  return [
    cardHtml({
      id: 'funnel',
      heading: 'From created to acted',
      text: 'Each step counts only batches that took all steps before it.',
      description: funnel.map(({ label, count: n }) => `${label}: ${n}`).join('; '),
      table: {
        caption: 'From created to acted',
        head: ['Step', 'Batches', 'Of created', 'Of the step before'],
        rows: funnel.map(({ label, count: n }, index) => [
          label,
          n,
          share(n, whole),
          index === 0 ? '–' : share(n, funnel[index - 1]?.count ?? 0),
        ]),
      },
      draw: (accessible) => funnelChart(funnel, accessible),
      empty: whole === 0,
    }),
    cardHtml({
      id: 'waiting',
      heading: 'Time to first watch',
      text: `From sending to the first view. Half within ${hours(waiting.median)}, nine in ten within ${hours(waiting.ninetieth)}.${waiting.negative > 0 ? ` ${count(waiting.negative)} were watched before the stated time of sending and are left out.` : ''}`,
      description: waiting.buckets.map(({ label, count: n }) => `${label}: ${n}`).join('; '),
      table: {
        caption: 'Time to first watch',
        head: ['Time', 'Batches', 'Share'],
        rows: waiting.buckets.map(({ label, count: n }) => [label, n, share(n, waited)]),
      },
      draw: (accessible) => countChart(waiting.buckets, accessible),
      empty: waited === 0,
    }),
    cardHtml({
      id: 'weeks',
      heading: 'Week by week',
      text: `Whole weeks, Monday to Sunday, by the day of creation; the week that is not over is left out. Younger weeks still gain views.`,
      description: `${weeks.length} weeks${weeks[0] ? ` from ${weeks[0].monday}` : ''}; the numbers follow the chart.`,
      table: {
        caption: 'Week by week',
        head: ['Week from', 'Created', 'Sent', 'Watched', 'Watch rate', 'Whole'],
        rows: weeks.map((week) => [
          week.monday,
          week.created,
          week.sent,
          week.watched,
          share(week.watched, week.sent),
          week.hole ? 'no, a hole' : 'yes',
        ]),
      },
      draw: (accessible) => weekChart(weeks, accessible),
      wide: true,
      legend: `<ul class="legend"><li>Created</li><li class="second">Watched, of those created that week</li>${holes ? '<li class="hole">Touched by a hole</li>' : ''}</ul>`,
      empty: weeks.length === 0,
    }),
    rateCard('senders', 'Watch rate by sending user', 'Sending user', senders),
    rateCard('products', 'Watch rate by product type', 'Product type', products),
    cardHtml({
      id: 'clicks',
      heading: 'Plays and clicks by kind',
      text: 'Sums over all batches, as they stood when each was last seen.',
      description: clicks.map(({ label, count: n }) => `${label}: ${n}`).join('; '),
      table: {
        caption: 'Plays and clicks by kind',
        head: ['Kind', 'Count'],
        rows: clicks.map(({ label, count: n }) => [label, n]),
      },
      draw: (accessible) => countChart(clicks, accessible),
      empty: clicks.every(({ count: n }) => n === 0),
    }),
  ];
}

function holesCard(accounts: readonly AccountStatus[]): string {
  const open = accounts.flatMap(({ account, holes }) =>
    holes.filter(({ filled }) => filled === null).map((hole) => ({ account, ...hole })),
  );
  const list = open.map(
    ({ account, from, until, reason }) =>
      `<li>${escapeHtml(account)}: ${moment(from)} to ${moment(until)}<span>${escapeHtml(reason)}</span></li>`,
  );
  const content =
    open.length === 0
      ? '<p class="note">None: every moment since the beginning was inside the window of some pull.</p>'
      : `<p class="warn">Batches created in these stretches may be missing for good, so counts may be too small.</p>
<ul class="holes">${list.join('\n')}</ul>`;
  return `<section aria-labelledby="holes-heading">
<h2 id="holes-heading">Holes in the history</h2>
${content}
</section>`;
}

function freshness(accounts: readonly AccountStatus[]): string {
  return `<section class="wide" aria-labelledby="freshness-heading">
<h2 id="freshness-heading">Freshness</h2>
${tableHtml({
  caption: 'What is known of each account',
  head: [
    'Account',
    'Last pull',
    'History from',
    'Batches',
    'Versions',
    'Out of the window',
    'Unreadable',
    'Oddities',
  ],
  rows: accounts.map((account) => [
    account.account,
    account.lastPull === null ? '–' : moment(account.lastPull),
    account.coveredFrom === null ? '–' : moment(account.coveredFrom),
    account.batches,
    account.versions,
    account.outOfWindow,
    account.quarantined,
    account.driftTotal,
  ]),
})}
</section>`;
}

/**
 * The report as one HTML page: no script, no request, nothing but its own style. It depends on the
 * history alone, so the same history gives the same page.
 */
export function reportPage(figures: Figures): string {
  const style = createHash('sha256').update(STYLE).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'`;
  const about = figures.account === undefined ? 'all accounts' : `account ${figures.account}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<title>How customers watch: batches up to ${figures.asOf.slice(0, 10)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>How customers watch</h1>
<p class="lead">Videos sent by ${escapeHtml(about)}, as known on ${moment(figures.asOf)}.</p>
</header>
<main>
${tiles(figures)}
<div class="grid">
${cards(figures).join('\n')}
${holesCard(figures.accounts)}
${freshness(figures.accounts)}
</div>
</main>
<footer>Totals only; no recipient is named here. Senders are named: treat the page as internal.</footer>
</body>
</html>
`;
}
