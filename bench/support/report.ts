import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import path from 'node:path';
import { withSection } from '../../scripts/schema/setup-reference.ts';

/** One line of the table. */
export interface Row {
  /** Stable name. */
  id: string;
  what: string;
  /** The figure as readable text. */
  measured: string;
  /** The target as readable text. Empty without a target. */
  target: string;
  /** Whether the target is met. Absent without a target or a measurement. */
  met?: boolean;
  /** Raw data of the figure. */
  details: object;
  /** Day of the run, `YYYY-MM-DD`. */
  date: string;
}

export const today = (): string => new Date().toISOString().slice(0, 10);

/** Relevant properties of the machine. */
export function machineText(): string {
  const model = cpus()[0]?.model.trim() || 'unknown processor';
  return `${availableParallelism()} cores of ${model}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}, Node ${process.version}`;
}

/** Whether a measurement is only a trial, which writes no file. */
export interface Short {
  short: boolean;
}

/** Prints a text, and puts it between `<!-- bench:NAME -->` and `<!-- /bench:NAME -->` of a file. */
export async function replaceBetweenMarkers(
  file: string,
  name: string,
  text: string,
  { short }: Short,
): Promise<void> {
  const after = withSection(await readFile(file, 'utf8'), `bench:${name}`, text.trim());
  if (!short) await writeFile(file, after);
  console.log(text.trim());
}

/** Stores results in `docs/bench/NAME.json`. */
export async function storeResults(name: string, results: object, { short }: Short): Promise<void> {
  if (short) return;
  const file = storedIn(name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
}

const storedIn = (name: string): string => path.join('docs', 'bench', `${name}.json`);

const VERDICT = { true: 'yes', false: '**no**' } as const;

/** Stores rows in `docs/bench/NAME.json` and shows all rows of it in `docs/performance.md`. */
export async function reportRows(
  name: string,
  rows: readonly Row[],
  options: Short,
): Promise<void> {
  const file = storedIn(name);
  const stored: { machine: string; rows: Row[] } = existsSync(file)
    ? JSON.parse(await readFile(file, 'utf8'))
    : { machine: '', rows: [] };
  const byId = new Map(options.short ? [] : stored.rows.map((row) => [row.id, row]));
  for (const row of rows) byId.set(row.id, row);
  const all = [...byId.values()];
  const machine = machineText();
  await storeResults(name, { machine, rows: all }, options);
  const lines = all.map(
    ({ what, measured, target, met, date }) =>
      `| ${what} | ${measured} | ${target} | ${met === undefined ? '–' : VERDICT[`${met}`]} | ${date} |`,
  );
  await replaceBetweenMarkers(
    path.join('docs', 'performance.md'),
    name,
    `Measured on ${machine}.\n\n| Measurement | Result | Limit | Met | Date |\n| --- | --- | --- | --- | --- |\n${lines.join('\n')}`,
    options,
  );
}
