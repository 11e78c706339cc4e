import { printable } from '../../errors.ts';
import { bytesText, timeText } from '../../lib/terminal/progress.ts';
import type { BuildReport, DealerReport } from './report.ts';

const STATE_TEXT: Record<DealerReport['state'], string> = {
  fresh: 'fresh',
  degraded: 'degraded: stands on its last good answer',
  held: 'held at its last good answer: too many vehicles or media gone',
  'left-out': 'left out: nothing to stand on',
  failed: 'failed',
};

const OUTCOME_TEXT: Record<BuildReport['outcome'], string> = {
  published: 'Published',
  degraded: 'Published, degraded',
  unchanged: 'Nothing changed',
  'not-published': 'Not published; the published site is as it was',
};

/** Outcome of a shard; the merge publishes it. */
const PART_TEXT: Record<BuildReport['outcome'], string> = {
  published: 'was built',
  degraded: 'was built, degraded',
  unchanged: 'was built',
  'not-published': 'was not built',
};

const tookText = ({ outcome, durationMs }: BuildReport): string =>
  outcome === 'not-published' ? ` (${timeText(durationMs)})` : ` in ${timeText(durationMs)}`;

const outcomeText = ({ outcome, shard }: BuildReport): string =>
  shard === undefined ? OUTCOME_TEXT[outcome] : `Part ${shard} ${PART_TEXT[outcome]}`;

/** A screen has 24 lines of 80 columns; the lists below leave room for npm's own lines. */
const COLUMNS = 80;

/** How many items are listed one by one: dealers, problems of stock lists, hosts without a provider. */
const LISTED = { dealers: 4, problems: 3, hosts: 3 };
/** The same limits if matters that need a person are listed as well. */
const LISTED_BESIDE_ATTENTION = { dealers: 2, problems: 1, hosts: 1 };

/** Most lines for matters that need a person. */
const ATTENTION_LINES = 6;
const ALIKE = 3;

const ACCEPT = '--accept-loss';

const cut = (line: string): string =>
  line.length > COLUMNS && !line.includes(ACCEPT) ? `${line.slice(0, COLUMNS - 1)}…` : line;

/** A text in lines that fit, the last one cut. What a person must type is never cut or broken. */
function fitted(text: string, indent: string, most: number): string[] {
  const whole = `${indent}${printable(text)}`;
  if (whole.includes(ACCEPT) || whole.length <= COLUMNS || most === 1) return [cut(whole)];
  const end = whole.lastIndexOf(' ', COLUMNS);
  if (end <= indent.length) return [cut(whole)];
  return [whole.slice(0, end), ...fitted(whole.slice(end + 1), indent, most - 1)];
}

/** Matters that need a person, with the fix; those with the same fix are grouped. */
function attentionLines({ attention }: BuildReport): string[] {
  if (attention.length === 0) return [];
  const lines: string[] = [];
  // A single matter gets more lines.
  const most = attention.length === 1 ? 3 : 1;
  let told = 0;
  for (const alike of Map.groupBy(attention, ({ fix }) => fix).values()) {
    const more = alike.length - ALIKE;
    const block = [
      ...alike.slice(0, ALIKE).flatMap(({ what }) => fitted(what, '  ', most)),
      ...(more > 0 ? [`  and ${more} more like these`] : []),
      ...fitted(alike[0]?.fix ?? 'See the report.', '    ', 2),
    ];
    if (told > 0 && lines.length + block.length > ATTENTION_LINES) break;
    lines.push(...block);
    told += alike.length;
  }
  const rest = attention.length - told;
  return [
    'A person is needed:',
    ...lines,
    ...(rest > 0 ? [`  And ${rest} more; see "attention" in the report.`] : []),
  ];
}

function ageText({ ageSeconds, source }: DealerReport): string {
  if (ageSeconds === undefined || source === 'live') return '';
  return ` (${Math.round(ageSeconds / 3600)} h old)`;
}

function asidesOf({ vehicles, items, pictures, facts }: DealerReport): string[] {
  return [
    vehicles.quarantined ? `${vehicles.quarantined} records set aside` : '',
    vehicles.kept ? `${vehicles.kept} shown as last published` : '',
    items.quarantined ? `${items.quarantined} media items set aside` : '',
    items.unknownType ? `${items.unknownType} media items of unknown type` : '',
    pictures.failed ? `${pictures.failed} pictures failed` : '',
    vehicles.withdrawn ? `${vehicles.withdrawn} withdrawn` : '',
    facts?.rowsWithoutVehicle ? `${facts.rowsWithoutVehicle} stock rows without a vehicle` : '',
    facts?.vehiclesWithoutRow ? `${facts.vehiclesWithoutRow} vehicles without a stock row` : '',
    facts?.problemCount ? `${facts.problemCount} problems in the stock list` : '',
  ].filter((text) => text !== '');
}

/** `name`, short enough to stand at the beginning of a line. */
const shortName = (name: string): string => {
  const text = printable(name);
  return text.length > 30 ? `${text.slice(0, 29)}…` : text;
};

/** The first unusable rows and cells of stock lists. */
const problemLines = (dealers: readonly DealerReport[], most: number): string[] =>
  dealers
    .flatMap(({ name, facts }) =>
      (facts?.problems ?? [])
        .slice(0, most)
        .map((problem) => `  Stock list of ${shortName(name)}, ${printable(problem)}`),
    )
    .slice(0, most);

/** Counts of a dealer's pages, or, if none were published, of its vehicles' media. */
function amountsOf({ vehicles, pictures, videos }: DealerReport, published: boolean) {
  return published
    ? [vehicles.used, pictures.used, videos.embedded + videos.linked]
    : [vehicles.accepted, pictures.listed, videos.listed];
}

/** Notes on a dealer's unusual state. */
function oddText(dealer: DealerReport): string {
  const { state } = dealer;
  const told = state === 'fresh' ? [] : [`${STATE_TEXT[state]}${ageText(dealer)}`];
  return [...told, ...asidesOf(dealer)].join('; ');
}

/** One dealer: a line of counts, and a line of notes. */
function dealerLines(dealer: DealerReport, published: boolean): string[] {
  const [vehicles, pictures, videos] = amountsOf(dealer, published);
  const counts = `${vehicles} vehicles, ${pictures} pictures, ${videos} videos`;
  const fresh = dealer.state === 'fresh' ? [published ? 'fresh' : 'answered'] : [];
  const odd = oddText(dealer);
  return [
    `  ${shortName(dealer.name)}: ${[counts, ...fresh].join(' – ')}`,
    ...(odd ? [`    ${odd}`] : []),
  ];
}

/** Dealers with notes come first; the remaining ones are one line. */
function dealersLines(
  dealers: readonly DealerReport[],
  published: boolean,
  most: number,
): string[] {
  const odd = dealers
    .filter((dealer) => oddText(dealer) !== '')
    .sort((a, b) => Number(a.state === 'fresh') - Number(b.state === 'fresh'));
  const listed = dealers.length > most ? odd.slice(0, most) : dealers;
  const rest = dealers.filter((dealer) => !listed.includes(dealer));
  const lines = listed.flatMap((dealer) => dealerLines(dealer, published));
  if (rest.length === 0) return lines;
  const left = odd.length - listed.length;
  const of = (at: number) =>
    rest.reduce((sum, dealer) => sum + (amountsOf(dealer, published)[at] ?? 0), 0);
  const [and, more] = listed.length > 0 ? ['And ', 'more '] : ['', ''];
  const state = left > 0 ? `; ${left} of them odd, see the report` : published ? ' – fresh' : '';
  lines.push(`  ${and}${rest.length} ${more}dealers: ${of(0)} vehicles, ${of(1)} pictures${state}`);
  return lines;
}

/** What a build did, for a terminal: fits one screen, however many dealers there are. */
export function summaryLines(report: BuildReport): string[] {
  const listed = report.attention.length > 0 ? LISTED_BESIDE_ATTENTION : LISTED;
  const lines = [
    `${outcomeText(report)}${tookText(report)}.`,
    ...attentionLines(report),
    ...dealersLines(report.dealers, report.outcome !== 'not-published', listed.dealers),
    ...problemLines(report.dealers, listed.problems),
  ];
  const { media } = report;
  if (media) {
    const restored = `${media.outputsRestored} taken from the published site`;
    lines.push(
      `  Thumbnails: ${media.outputsMade} made, ${media.outputsReused} reused, ${media.outputsRemoved} removed`,
      ...(media.restoredBytes > 0 ? [`  ${restored} (${bytesText(media.restoredBytes)})`] : []),
      `  ${media.downloaded} pictures downloaded (${bytesText(media.downloadedBytes)})`,
    );
  }
  const unmatched = Object.entries(report.unmatchedEmbeds);
  if (unmatched.length > 0) {
    lines.push('  Videos of hosts that no provider matches are linked; see videos.providers:');
    const named = unmatched.slice(0, listed.hosts);
    for (const [host, count] of named) lines.push(`    ${printable(host)} (${count})`);
    if (unmatched.length > listed.hosts) {
      lines.push(`    and ${unmatched.length - listed.hosts} more hosts; see the report`);
    }
  }
  return lines.map(cut);
}

/** Text of unknown origin for a Markdown table cell. */
export function markdownText(text: string): string {
  return printable(text).replace(
    /[&<>\\`*_{}[\]()#+\-.!|~:@$]/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );
}

/** What a build did, as Markdown for the summary of a CI job. */
export function summaryMarkdown(report: BuildReport): string {
  const lines = [`## ${outcomeText(report)}`, ''];
  const published = report.outcome !== 'not-published';
  if (report.problem) {
    const { code, what, why, fix } = report.problem;
    lines.push(`**${markdownText(what)}** (${code})`, '');
    if (why) lines.push(`Why: ${markdownText(why)}`, '');
    if (fix) lines.push(`What to do: ${markdownText(fix)}`, '');
  }
  if (report.attention.length > 0) {
    lines.push('### A person is needed', '');
    for (const { code, what, fix } of report.attention) {
      lines.push(`- **${markdownText(what)}** (${code})`);
      if (fix) lines.push(`  What to do: ${markdownText(fix)}`);
    }
    lines.push('');
  }
  if (report.dealers.length > 0) {
    lines.push(
      '| Dealer | State | Vehicles | Pictures | Videos | Set aside | Failed |',
      '| --- | --- | ---: | ---: | ---: | ---: | ---: |',
      ...report.dealers.map((dealer) => {
        const { vehicles, pictures, items, state } = dealer;
        const told = published || state !== 'fresh' ? STATE_TEXT[state] : 'answered';
        return `| ${markdownText(dealer.name)} | ${told}${ageText(dealer)} | ${amountsOf(dealer, published).join(' | ')} | ${vehicles.quarantined + items.quarantined + items.unknownType} | ${pictures.failed} |`;
      }),
      '',
    );
  }
  return `${lines.join('\n')}\n`;
}
