import { printable } from '../errors.ts';
import { bytesText, timeText } from '../terminal/progress.ts';
import type { BuildReport, DealerReport } from './report.ts';

const STATE_TEXT: Record<DealerReport['state'], string> = {
  fresh: 'fresh',
  degraded: 'degraded: stands on its last good answer',
  held: 'held at its last good answer: too many vehicles gone',
  'left-out': 'left out: nothing to stand on',
  failed: 'failed',
};

const OUTCOME_TEXT: Record<BuildReport['outcome'], string> = {
  published: 'Published',
  degraded: 'Published, degraded',
  unchanged: 'Nothing changed',
  'not-published': 'Not published; the published site is as it was',
};

/** How many hosts without a provider the terminal lists. */
const LISTED_HOSTS = 10;

function ageText({ ageSeconds, source }: DealerReport): string {
  if (ageSeconds === undefined || source === 'live') return '';
  return ` (${Math.round(ageSeconds / 3600)} h old)`;
}

/** What a build did, for a terminal: fits one screen. */
export function summaryLines(report: BuildReport): string[] {
  const lines = [`${OUTCOME_TEXT[report.outcome]} in ${timeText(report.durationMs)}.`];
  const shown =
    report.dealers.length > 12
      ? report.dealers.filter(({ state }) => state !== 'fresh')
      : report.dealers;
  for (const dealer of shown.slice(0, 12)) {
    const { vehicles, pictures, videos } = dealer;
    const asides = [
      vehicles.quarantined ? `${vehicles.quarantined} records set aside` : '',
      dealer.items.quarantined ? `${dealer.items.quarantined} media items set aside` : '',
      pictures.failed ? `${pictures.failed} pictures failed` : '',
      vehicles.withdrawn ? `${vehicles.withdrawn} withdrawn` : '',
      dealer.facts?.rowsWithoutVehicle
        ? `${dealer.facts.rowsWithoutVehicle} stock rows without a vehicle`
        : '',
      dealer.facts?.vehiclesWithoutRow
        ? `${dealer.facts.vehiclesWithoutRow} vehicles without a stock row`
        : '',
      dealer.facts?.problems.length
        ? `${dealer.facts.problems.length} problems in the stock list`
        : '',
    ].filter((text) => text !== '');
    lines.push(
      `  ${printable(dealer.name)}: ${vehicles.used} vehicles, ${pictures.used} pictures, ${videos.embedded + videos.linked} videos – ${STATE_TEXT[dealer.state]}${ageText(dealer)}${asides.length ? `; ${asides.join(', ')}` : ''}`,
    );
  }
  if (report.media) {
    const { outputsMade, outputsReused, outputsRemoved, downloaded, downloadedBytes } =
      report.media;
    lines.push(
      `  Thumbnails: ${outputsMade} made, ${outputsReused} reused, ${outputsRemoved} removed; ${downloaded} pictures downloaded (${bytesText(downloadedBytes)})`,
    );
  }
  const unmatched = Object.entries(report.unmatchedEmbeds);
  for (const [host, count] of unmatched.slice(0, LISTED_HOSTS)) {
    lines.push(
      `  Videos of ${printable(host)} (${count}) match no provider and are linked; see videos.providers`,
    );
  }
  if (unmatched.length > LISTED_HOSTS) {
    lines.push(`  And of ${unmatched.length - LISTED_HOSTS} more hosts; see the report`);
  }
  return lines;
}

/** Text of unknown origin for a Markdown table cell. */
export function markdownText(text: string): string {
  return printable(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*_{}[\]()#+\-.!|~:@$]/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** What a build did, as Markdown for the summary of a CI job. */
export function summaryMarkdown(report: BuildReport): string {
  const lines = [`## ${OUTCOME_TEXT[report.outcome]}`, ''];
  if (report.problem) {
    const { code, what, why, fix } = report.problem;
    lines.push(`**${markdownText(what)}** (${code})`, '');
    if (why) lines.push(`Why: ${markdownText(why)}`, '');
    if (fix) lines.push(`What to do: ${markdownText(fix)}`, '');
  }
  if (report.dealers.length > 0) {
    lines.push(
      '| Dealer | State | Vehicles | Pictures | Videos | Set aside | Failed |',
      '| --- | --- | ---: | ---: | ---: | ---: | ---: |',
      ...report.dealers.map((dealer) => {
        const { vehicles, pictures, videos, items } = dealer;
        return `| ${markdownText(dealer.name)} | ${STATE_TEXT[dealer.state]}${ageText(dealer)} | ${vehicles.used} | ${pictures.used} | ${videos.embedded + videos.linked} | ${vehicles.quarantined + items.quarantined} | ${pictures.failed} |`;
      }),
      '',
    );
  }
  return `${lines.join('\n')}\n`;
}
