import { printable } from '../../errors.ts';
import { cut } from '../../lib/cut.ts';
import { countText } from '../../lib/terminal/count-text.ts';
import { timeText } from '../../lib/terminal/progress.ts';
import { feedText } from '../../site/vehicle-feeds/feed.ts';
import { attentionLines, dealerLabel, joinDealers } from './attention-lines.ts';
import { failedPicturesText } from './dealer-report.ts';
import { cutLine, fitted } from './fitted.ts';
import { mediaLines, unmatchedLines } from './media-lines.ts';
import type { BuildReport, DealerReport } from './report.ts';

const STATE_TEXT: Record<DealerReport['state'], string> = {
  fresh: 'fresh',
  degraded: 'degraded: snapshot used',
  held: 'held: too many vehicles or media missing, snapshot used',
  'left-out': 'left out: no published record, no usable response',
  failed: 'failed: no snapshot',
};

/** States of dealers in a build that failed: it used no snapshot. */
const FAILED_BUILD_STATE_TEXT: typeof STATE_TEXT = {
  fresh: 'accepted',
  degraded: 'no usable response',
  held: 'too many vehicles or media missing',
  'left-out': STATE_TEXT['left-out'],
  failed: 'no usable response, no snapshot',
};

const stateText = ({ state }: DealerReport, published: boolean): string =>
  (published ? STATE_TEXT : FAILED_BUILD_STATE_TEXT)[state];

const OUTCOME_TEXT: Record<BuildReport['outcome'], (place: string) => string> = {
  published: (place) => `Built into ${place}`,
  degraded: (place) => `Built into ${place}, degraded,`,
  unchanged: (place) => `Nothing changed in ${place}`,
  'not-published': () => 'The build failed. The published site is unchanged',
};

const tookText = ({ outcome, durationMs }: BuildReport): string =>
  outcome === 'not-published' ? ` (${timeText(durationMs)})` : ` in ${timeText(durationMs)}`;

/** A screen has 24 lines. npm and the prompt use four lines. */
const LINES = 20;

/** Maximum listed items: dealers, problems of stock lists, hosts without a provider. */
const LISTED = { dealers: 4, problems: 3, hosts: 3 };
/** The same limits if the summary also lists attention. */
const LISTED_BESIDE_ATTENTION = { dealers: 2, problems: 1, hosts: 1 };

const LISTED_FEEDS = 3;

/** Attention without the error that stopped the build, which is printed below the summary. */
const listedAttention = ({ attention, problem }: BuildReport): BuildReport['attention'] =>
  attention.filter(({ code }) => code !== problem?.code);

function ageText({ ageSeconds, source }: DealerReport, published: boolean): string {
  if (ageSeconds === undefined || source === 'live') return '';
  return ` (${published ? '' : 'snapshot: '}${Math.round(ageSeconds / 3600)} h old)`;
}

const textOf = (count: number | undefined, one: string, many?: string) =>
  count ? countText(count, one, many) : '';

/** Counts of a dealer that are zero in a good build, and a changed address. */
function problemCounts(dealer: DealerReport, published: boolean): string[] {
  const { slug, formerSlug, vehicles, items, pictures, waiting, facts } = dealer;
  return [
    published && formerSlug !== undefined
      ? printable(`pages moved from /${formerSlug}/ to /${slug}/, redirect the old addresses`)
      : '',
    textOf(vehicles.quarantined, 'record quarantined', 'records quarantined'),
    textOf(vehicles.duplicates, 'record repeats a plate', 'records repeat a plate'),
    textOf(vehicles.kept, 'shown as last published', 'shown as last published'),
    textOf(items.quarantined, 'media item quarantined', 'media items quarantined'),
    textOf(items.unknownType, 'media item of unknown type', 'media items of unknown type'),
    textOf(items.duplicates, 'media item listed twice', 'media items listed twice'),
    printable(failedPicturesText(pictures, published)),
    textOf(waiting?.vehicles, 'waiting for pictures', 'waiting for pictures'),
    textOf(
      facts?.rowsWithoutVehicle,
      'stock row without a vehicle',
      'stock rows without a vehicle',
    ),
    textOf(
      facts?.vehiclesWithoutRow,
      'vehicle without a stock row',
      'vehicles without a stock row',
    ),
    textOf(facts?.problemCount, 'problem in the stock list', 'problems in the stock list'),
  ].filter((text) => text !== '');
}

/** `name`, short enough for the beginning of a line. */
const shortName = (name: string): string => cut(printable(name), 30);

/** The first unusable rows and cells of stock lists. */
const problemLines = (dealers: readonly DealerReport[], most: number): string[] =>
  dealers
    .flatMap(({ name, facts }) =>
      (facts?.problems ?? [])
        .slice(0, most)
        .map((problem) => `  Stock list of ${shortName(name)}: ${printable(problem)}`),
    )
    .slice(0, most);

/**
 * Counts of a dealer's pages. If the build failed, counts of the media in the response. A dealer
 * without a usable response has none.
 */
function amountsOf({ state, vehicles, pictures, videos }: DealerReport, published: boolean) {
  if (published) return [vehicles.used, pictures.used, videos.embedded + videos.linked];
  if (state !== 'fresh') return undefined;
  return [Math.max(0, vehicles.accepted - vehicles.hidden), pictures.listed, videos.listed];
}

/** Problems of a dealer. Hidden and sold vehicles do not count. */
const problemsOf = (dealer: DealerReport, published: boolean): string[] => [
  ...(dealer.state === 'fresh' ? [] : [stateText(dealer, published) + ageText(dealer, published)]),
  ...problemCounts(dealer, published),
];

function notesText(dealer: DealerReport, published: boolean): string {
  const { hidden, withdrawn } = dealer.vehicles;
  return [
    ...problemsOf(dealer, published),
    textOf(hidden, 'hidden', 'hidden'),
    textOf(withdrawn, 'withdrawn', 'withdrawn'),
  ]
    .filter((text) => text !== '')
    .join('; ');
}

/** One dealer: a line of counts, and at most `most` lines of notes. */
function dealerLines(dealer: DealerReport, published: boolean, most: number): string[] {
  const name = `  ${shortName(dealer.name)}: `;
  const odd = notesText(dealer, published);
  const amounts = amountsOf(dealer, published);
  if (!amounts) return fitted(`${shortName(dealer.name)}: ${odd}`, '  ', most);
  const [vehicles = 0, pictures = 0, videos = 0] = amounts;
  const counts = [
    countText(vehicles, 'vehicle'),
    countText(pictures, 'picture'),
    countText(videos, 'video'),
  ].join(', ');
  const fresh = dealer.state === 'fresh' ? [stateText(dealer, published)] : [];
  return [`${name}${[counts, ...fresh].join(' – ')}`, ...(odd ? fitted(odd, '    ', most) : [])];
}

/** Dealers with notes come first. The others share one line. The notes share the free lines of the screen. */
function dealersLines(
  dealers: readonly DealerReport[],
  published: boolean,
  { most, free }: { most: number; free: number },
): string[] {
  const odd = dealers
    .filter((dealer) => problemsOf(dealer, published).length > 0)
    .sort((a, b) => Number(a.state === 'fresh') - Number(b.state === 'fresh'));
  const listed = dealers.length > most ? odd.slice(0, most) : dealers;
  const remaining = dealers.filter((dealer) => !listed.includes(dealer));
  const noted = listed.filter((dealer) => notesText(dealer, published) !== '').length;
  const unnoted = listed.length + (remaining.length > 0 ? 1 : 0);
  const notes = Math.max(1, Math.floor((free - unnoted) / Math.max(1, noted)));
  const lines = listed.flatMap((dealer) => dealerLines(dealer, published, notes));
  if (remaining.length === 0) return lines;
  const oddCount = odd.length - listed.length;
  const sumOf = (at: number) =>
    remaining.reduce((sum, dealer) => sum + (amountsOf(dealer, published)?.[at] ?? 0), 0);
  const [and, more] = listed.length > 0 ? ['And ', 'more '] : ['', ''];
  const state = oddCount > 0 ? `; ${oddCount} with notes (report)` : published ? ' – fresh' : '';
  const dealersText = countText(remaining.length, `${more}dealer`);
  const counts = `${countText(sumOf(0), 'vehicle')}, ${countText(sumOf(1), 'picture')}`;
  lines.push(`  ${and}${dealersText}: ${counts}${state}`);
  return lines;
}

/**
 * The result of a build, for a terminal. It fits on one screen with any number of dealers.
 *
 * @param place the output folder, as the user sees it.
 */
export function summaryLines(report: BuildReport, place: string): string[] {
  const attention = listedAttention(report);
  const listed = attention.length > 0 ? LISTED_BESIDE_ATTENTION : LISTED;
  const before = [
    `${OUTCOME_TEXT[report.outcome](place)}${tookText(report)}.`,
    ...attentionLines(attention, report.dealers),
  ];
  const after = [
    ...problemLines(report.dealers, listed.problems),
    ...(report.feeds ?? []).slice(0, LISTED_FEEDS).map((feed) => `  ${printable(feedText(feed))}`),
    ...(report.waiting ? [`  ${waitingText(report.waiting)}`] : []),
    ...mediaLines(report.media),
    ...unmatchedLines(report.unmatchedEmbeds, listed.hosts),
  ];
  const dealers = dealersLines(report.dealers, report.outcome !== 'not-published', {
    most: listed.dealers,
    free: LINES - before.length - after.length,
  });
  return [...before, ...dealers, ...after].map(cutLine);
}

/** Text of unknown origin for a Markdown table cell. */
export const markdownText = (text: string): string =>
  printable(text).replace(
    /[&<>\\`*_{}[\]()#+\-.!|~:@$]/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );

const waitingText = ({ vehicles, pictures }: NonNullable<BuildReport['waiting']>): string =>
  `Waiting for the next build: ${countText(vehicles, 'vehicle')} with ${countText(pictures, 'picture')}.`;

const LISTED_NOTES = 10;

function problemMarkdown({ code, what, why, fix }: NonNullable<BuildReport['problem']>): string[] {
  const [head = '', ...items] = what.split('\n');
  return [
    `**${markdownText(head)}** (${code})`,
    ...items.map((item) => `- ${markdownText(item.replace(/^- /, ''))}`),
    '',
    ...(why ? [`Why: ${markdownText(why)}`, ''] : []),
    ...(fix ? [`What to do: ${markdownText(fix)}`, ''] : []),
  ];
}

/** Entries that need attention, grouped by fix. */
function attentionMarkdown(
  attention: BuildReport['attention'],
  dealers: readonly DealerReport[],
): string[] {
  const lines = ['### Needs attention', ''];
  const joined = joinDealers(attention, dealers, dealers.length);
  for (const [fix, entries] of Map.groupBy(joined, (entry) => entry.fix)) {
    for (const { code, what, why } of entries) {
      lines.push(`- **${markdownText(what)}** (${code})${why ? ` ${markdownText(why)}` : ''}`);
    }
    const these = entries.length > 1 ? ` about these ${entries.length}` : '';
    if (fix) lines.push(`  What to do${these}: ${markdownText(fix)}`);
  }
  return [...lines, ''];
}

/** A table of the dealers. */
const tableMarkdown = (dealers: readonly DealerReport[], published: boolean): string[] => [
  '| Dealer | State | Vehicles | Pictures | Videos | Quarantined | Failed |',
  '| --- | --- | ---: | ---: | ---: | ---: | ---: |',
  ...dealers.map((dealer) => {
    const { vehicles, pictures, items } = dealer;
    const state = `${stateText(dealer, published)}${ageText(dealer, published)}`;
    const amounts = amountsOf(dealer, published) ?? ['–', '–', '–'];
    return `| ${markdownText(dealer.name)} | ${state} | ${amounts.join(' | ')} | ${vehicles.quarantined + items.quarantined + items.unknownType} | ${pictures.failed} |`;
  }),
  '',
];

/** Problems and notes of dealers that no entry in `above` has. */
function dealerTexts(
  { dealers, problem: buildProblem }: BuildReport,
  above: BuildReport['attention'],
  published: boolean,
): string[] {
  const texts = dealers.flatMap((dealer) => {
    const { id, problem, notes } = dealer;
    const label = dealerLabel(dealer);
    const isNamed = (text: string) => text.toLowerCase().includes(label.toLowerCase());
    const known = [buildProblem, ...above.filter((entry) => entry.dealer === id)];
    const isNew =
      problem &&
      known.every((entry) => entry?.code !== problem.code && !entry?.what.includes(problem.what));
    const reason = isNew ? [problem.what, problem.why].filter(Boolean).join(' ') : '';
    return [reason, problemCounts(dealer, published).join('; '), ...notes]
      .filter((text) => text !== '')
      .map((text) => (isNamed(text) ? text : `${label}: ${text}`))
      .map((what) => ({ dealer: id, what }));
  });
  return joinDealers(texts, dealers, dealers.length).map(({ what }) => what);
}

/** The result of a build, as Markdown for the summary of a CI job. */
export function summaryMarkdown(report: BuildReport, place: string): string {
  const { outcome, problem, waiting, dealers, notes } = report;
  const published = outcome !== 'not-published';
  const attention = listedAttention(report);
  const texts = [
    ...dealerTexts(report, attention, published),
    ...problemLines(dealers, LISTED_NOTES).map((line) => line.trim()),
    ...notes.slice(0, LISTED_NOTES).map((note) => note.trim()),
  ];
  const lines = [
    `## ${OUTCOME_TEXT[outcome](place).replace(/,$/, '')}`,
    '',
    ...(problem ? problemMarkdown(problem) : []),
    ...(waiting
      ? [`${waitingText(waiting)} Run the build again until nothing is waiting.`, '']
      : []),
    ...(attention.length > 0 ? attentionMarkdown(attention, dealers) : []),
    ...(dealers.length > 0 ? tableMarkdown(dealers, published) : []),
    ...texts.map((text) => `- ${markdownText(text)}`),
  ];
  return `${lines.join('\n')}\n`;
}
