import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import path from 'node:path';
import { withSection } from '../../scripts/schema/setup-reference.ts';

/** One line of the table. */
export interface Row {
  /** Stable name. */
  id: string;
  /** Texts by the title of their column. The rows of a table have the same columns. */
  cells: Record<string, string>;
  /** The target as readable text. Empty without a target, or if the page states it. */
  target: string;
  /** Whether the target is met. Absent without a target or a measurement. */
  met?: boolean;
  /** Raw data of the figure. */
  details: object;
}

/** With the day of its run, `YYYY-MM-DD`. */
type StoredRow = Row & { date: string };

/** Relevant properties of the machine. */
function machineText(): string {
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

const verdict = ({ target, met }: Row): string =>
  met === undefined ? '' : `${target && `${target}: `}${met ? 'met' : '**missed**'}`;

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** All rows as a table. The days have a column if they differ. */
function tableOf(rows: readonly StoredRow[], machine: string): string {
  const days = [...new Set(rows.map(({ date }) => date))];
  const table = rows.map((row) => ({
    ...row.cells,
    ...(rows.some(({ met }) => met !== undefined) && { Limit: verdict(row) }),
    ...(days.length > 1 && { Date: row.date }),
  }));
  const titles = Object.keys(table[0] ?? {});
  return [
    `Measured on ${machine}${days.length === 1 ? `, ${days[0]}` : ''}.`,
    '',
    line(titles),
    line(titles.map(() => '---')),
    ...table.map((row) => line(Object.values(row))),
  ].join('\n');
}

/** Stores rows in `docs/bench/NAME.json` and shows all rows of it in `docs/performance.md`. */
export async function reportRows(
  name: string,
  rows: readonly Row[],
  options: Short,
): Promise<void> {
  const file = path.join('docs', 'bench', `${name}.json`);
  const stored: { rows: StoredRow[] } = existsSync(file)
    ? JSON.parse(await readFile(file, 'utf8'))
    : { rows: [] };
  const byId = new Map(options.short ? [] : stored.rows.map((row) => [row.id, row]));
  const date = new Date().toISOString().slice(0, 10);
  for (const row of rows) byId.set(row.id, { ...row, date });
  const all = [...byId.values()];
  const machine = machineText();
  if (!options.short) {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify({ machine, rows: all }, null, 2)}\n`);
  }
  const page = path.join('docs', 'performance.md');
  await replaceBetweenMarkers(page, name, tableOf(all, machine), options);
}
