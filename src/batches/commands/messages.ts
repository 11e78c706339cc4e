import { countText } from '../../lib/terminal/count-text.ts';
import type { Erasure } from '../erase.ts';
import type { ExportResult } from '../export/export.ts';
import type { ForgetResult } from '../forget.ts';
import type { DriftFinding } from '../model/drift.ts';
import type { Interval } from '../pull/coverage.ts';
import type { PullResult } from '../pull/pull.ts';
import type { CheckResult } from '../store/check.ts';
import type { AccountStatus, driftOf, Status } from '../store/status.ts';

const minute = (time: string): string => `${time.slice(0, 16)}Z`;
const stretch = ({ from, until }: Interval): string => `${minute(from)} to ${minute(until)}`;

const findingLine = ({ code, field, detail }: DriftFinding): string =>
  `${code}${field === null ? '' : ` ${field}`}: ${detail}`;

/** Lines with the result of a pull: counts, field names and times, never a value of a record. */
export function pullLines(result: PullResult, dryRun: boolean): string[] {
  const { account, days, received, inserted, changed, unchanged } = result;
  const lines = [
    `${account}: ${countText(received, 'batch', 'batches')} of ${countText(days, 'day')}: ${inserted} new, ${changed} changed, ${unchanged} unchanged${dryRun ? ' (dry run: nothing was stored)' : ''}`,
  ];
  const { widened, scrubbed, recovered, quarantined } = result;
  if (widened) {
    lines.push(`  the window was widened to ${countText(days, 'day')}, because pulls were missed`);
  }
  if (scrubbed > 0) lines.push(`  ${scrubbed} stored without the erased person`);
  if (recovered > 0) {
    lines.push(`  ${countText(recovered, 'quarantined record')} can be read now`);
  }
  if (quarantined > 0) {
    const brokenText = countText(quarantined, 'record breaks', 'records break');
    lines.push(`  ${brokenText} the contract: quarantined`);
  }
  for (const hole of result.filled) lines.push(`  a hole was filled: ${stretch(hole)}`);
  return lines;
}

/** Lines with the drift and the holes that a pull found, which `--quiet` does not hide. */
export const pullWarnings = ({ account, findings, holes }: PullResult): string[] => [
  ...findings.map((finding) => `${account}: drift ${findingLine(finding)}`),
  ...holes.map((hole) => `${account}: HOLE ${stretch(hole)}: batches may be missing`),
];

function accountLines(status: AccountStatus): string[] {
  const { account, lastPull, coveredFrom, coveredUntil, batches, versions } = status;
  const { lastAttempt, failedAttempts, holes, drift, driftTotal } = status;
  const failures = `${countText(failedAttempts, 'pull')} since, the last ${lastAttempt?.at}: ${lastAttempt?.outcome}`;
  return [
    account,
    `  last pull      ${lastPull ?? 'never'} (${countText(status.pulls, 'pull')})`,
    ...(failedAttempts > 0 ? [`  FAILED         ${failures}`] : []),
    `  history        ${coveredFrom ?? '–'} to ${coveredUntil ?? '–'}`,
    `  batches        ${batches} (${status.outOfWindow} outside the window, ${status.erased} erased)`,
    `  versions       ${versions}`,
    `  quarantined    ${status.quarantined}`,
    `  holes          ${holes.length === 0 ? 'none' : ''}`,
    ...holes.map(
      ({ from, until, reason, filled }) =>
        `    ${from} to ${until}${filled === null ? '' : ` (filled ${filled})`}: ${reason}`,
    ),
    `  drift          ${driftTotal === 0 ? 'none' : `${driftTotal}, latest:`}`,
    ...drift.map((finding) => `    ${minute(finding.at)} ${findingLine(finding)}`),
  ];
}

export const driftLines = (drift: ReturnType<typeof driftOf>): string[] =>
  drift.length === 0
    ? ['no new drift']
    : drift.map(
        ({ account, at, ...finding }) => `${minute(at)} ${account} ${findingLine(finding)}`,
      );

export const statusLines = (status: Status): string[] => [
  ...status.accounts.flatMap(accountLines),
  ...status.streams.map(
    ({ name, changesWaiting }) =>
      `export ${name}: ${countText(changesWaiting, name.endsWith('/erasures') ? 'erasure' : 'change')} waiting`,
  ),
];

/** Lines with the damage that a check found: batches by account and BatchId, never a value of a record. */
export function checkLines({ rows, damage }: CheckResult): string[] {
  return [
    `check: ${countText(rows, 'row')}${damage.length === 0 ? ', no damage found' : ''}`,
    ...damage.map(
      ({ table, rows: count, first }) =>
        `  DAMAGED ${table}: ${countText(count, 'row')} (${first.join(', ')}${count > first.length ? ', …' : ''})`,
    ),
  ];
}

export function exportLines({ rows, file, range, wasWritten, remarks }: ExportResult): string[] {
  const place = file === undefined ? '' : ` in ${file}`;
  const changes =
    range && range.to > range.from ? ` (changes ${range.from + 1} to ${range.to})` : '';
  const note = 'an interrupted run already wrote it. The next export has newer changes';
  return [`${countText(rows, 'row')}${place}${changes}`, ...(wasWritten ? [note] : []), ...remarks];
}

const MOST_LISTED = 50;

function batchLines(batches: Erasure['batches']): string[] {
  const lines = batches
    .slice(0, MOST_LISTED)
    .map(({ account, batchId }) => `  ${account} ${batchId}`);
  if (batches.length > MOST_LISTED) lines.push(`  and ${batches.length - MOST_LISTED} more`);
  return lines;
}

/** The result of an erasure, or its prediction. */
export function erasureLines(
  result: Erasure & Partial<ForgetResult>,
  { dryRun }: { dryRun: boolean },
): string[] {
  const { batches, versions, quarantined, senders, remembered, lastExport, lastReport } = result;
  const counts = `${countText(batches.length, 'batch', 'batches')} with ${countText(versions, 'version')}, ${countText(quarantined, 'quarantined record')}`;
  const lines = [
    dryRun ? `would erase: ${counts} (dry run: nothing was erased)` : `erased: ${counts}`,
    ...batchLines(batches),
  ];
  if (senders.batches.length + senders.quarantined > 0) {
    lines.push(
      `only the sender${dryRun ? '' : ' erased'}: ${countText(senders.batches.length, 'batch', 'batches')}, ${countText(senders.quarantined, 'quarantined record')}. Their recipients stay`,
      ...batchLines(senders.batches),
    );
  }
  if (dryRun) return lines;
  if (remembered) {
    lines.push(
      'later pulls recognise the person and keep only counts and times. If only the sender matches, they omit only the sender',
    );
  } else if (batches.length + quarantined > 0) {
    lines.push('later pulls keep only counts and times of these batches');
  }
  if (senders.batches.length > 0 && lastReport !== undefined) {
    lines.push(`the last report was ${lastReport}: write it again, because it names senders`);
  }
  if (batches.length + senders.batches.length > 0 && lastExport !== undefined) {
    lines.push(
      `the last export was ${lastExport}: repeat each export with --erasures, load those files, and delete older files`,
    );
  }
  return lines;
}
