import { expect } from 'vitest';
import { type BuildReport, reportSchema } from '../../src/publish/report/report.ts';
import { RECORDS } from '../../src/record/published-records.ts';
import type { Disk, FirstNight, Later, Night } from './disks.ts';

/** Expected result of a night on a disk. */
interface Outcome {
  /** Without --strict. With it, the exit code is 8 instead of 0 if the report needs attention. */
  exitCode: number;
  /** Code of the error that stopped the build. */
  code?: string;
  /** States of the two dealers. */
  states?: readonly [string, string];
  /** Entries that need attention: `DEALER CODE`. */
  attention?: readonly string[];
  /** Whether the site differs from the first night's. `records`: only the records differ. */
  changes: boolean | 'records';
  report?: (report: BuildReport, disk: Disk) => void;
}

/** A row of the table of outcomes: a fault after a good first night, and its results. */
interface Row extends Outcome {
  name: string;
  given: (later: Later) => unknown;
  hours?: number;
  /** On an empty disk while the published site is unreachable. */
  alone: Omit<Outcome, 'changes'> & Partial<Pick<Outcome, 'changes'>>;
}

/** Without a comparison, after both dealers responded. */
export const NOT_COMPARED: Row['alone'] = {
  exitCode: 0,
  states: ['fresh', 'fresh'],
  attention: ['7001 stock-not-compared', '7002 stock-not-compared'],
};

/** A row without results that a night without any fault has. */
export type Fault = Pick<Row, 'name' | 'given'> & Partial<Row>;

/** The complete rows. Unless an error stops the build, both dealers are fresh. */
export const rowsOf = (faults: readonly Fault[]): Row[] =>
  faults.map((fault) => ({
    exitCode: 0,
    ...(fault.code === undefined && { states: ['fresh', 'fresh'] }),
    changes: false,
    alone: NOT_COMPARED,
    ...fault,
  }));

/** Without a record of a dealer that returned no usable response. */
export const stopped = (code: string, exitCode = 4): Row['alone'] => ({ exitCode, code });

const attentionIn = ({ attention }: BuildReport) =>
  attention.map(({ dealer, code }) => `${dealer} ${code}`);

function check(night: Night, outcome: Omit<Outcome, 'changes'>, disk: Disk): void {
  const { exitCode, error, report } = night;
  expect(reportSchema.safeParse(report).error).toBeUndefined();
  const { states, attention = [] } = outcome;
  const isNeeded = outcome.exitCode === 0 && attention.length > 0;
  expect(
    { disk, exitCode, code: report.problem?.code, isPublished: night.files !== undefined },
    String(error),
  ).toEqual({
    disk,
    exitCode: isNeeded ? 8 : outcome.exitCode,
    code: outcome.code,
    isPublished: outcome.exitCode === 0,
  });
  expect(report.exitCode).toBe(exitCode);
  if (states) expect(report.dealers.map(({ state }) => state)).toEqual(states);
  if (states || outcome.exitCode === 0) expect(attentionIn(report)).toEqual(attention);
  // Cron mails only warnings.
  const warnings = night.lines.filter((line) => line.startsWith('Warning: ')).join('');
  for (const { what } of report.attention) {
    // Dealers with the same problem share a warning.
    for (const text of what.split(/[Dd]ealer \d+ \(/)) {
      const [name = '', rest] = text.split(/\)(.*)/s);
      expect(warnings).toContain(rest === undefined ? text : name);
      expect(warnings).toContain(rest ?? text);
    }
  }
  for (const { vehicles } of report.dealers) {
    expect(vehicles.accepted + vehicles.quarantined).toBe(vehicles.received);
  }
  outcome.report?.(report, disk);
}

const seen = (files: ReadonlyMap<string, string>) =>
  new Map([...files].filter(([file]) => !file.startsWith(RECORDS)));

function checkFiles({ files }: FirstNight, night: Night, changes: Row['changes']): void {
  if (!night.files) return;
  if (changes) expect(night.files).not.toEqual(files);
  else expect(night.files).toEqual(files);
  if (changes === 'records') expect(seen(night.files)).toEqual(seen(files));
}

/** Runs a row's night on the first three disks, which have the same result. */
export async function liveOnKnownDisks(first: FirstNight, row: Row): Promise<void> {
  await using later = await first.later();
  await row.given(later);
  const nights: Night[] = [];
  for (const disk of ['kept', 'cached', 'empty'] as const) {
    const night = await later.night(disk, row.hours ?? 24, { strict: true });
    check(night, row, disk);
    checkFiles(first, night, row.changes);
    nights.push(night);
  }
  const [kept, ...others] = nights;
  for (const { files, times, report } of others) {
    expect(files).toEqual(kept?.files);
    expect(times).toBe(kept?.times);
    expect(report.attention).toEqual(kept?.report.attention);
  }
}

/** Builds a row's night on an empty disk while the published site cannot be reached. */
export async function liveAlone(first: FirstNight, row: Row): Promise<void> {
  await using later = await first.later();
  await row.given(later);
  const night = await later.night('alone', row.hours ?? 24, { strict: true });
  check(night, row.alone, 'alone');
  if (night.exitCode === 4) expect(night.report.problem?.fix).toContain('--first');
  const isFresh = row.states?.every((state) => state === 'fresh');
  if (isFresh) checkFiles(first, night, row.alone.changes ?? row.changes);
}
