import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import path from 'node:path';

/** One line of the table. */
export interface Row {
  /** Stable name. */
  id: string;
  what: string;
  /** The figure as people read it. */
  measured: string;
  /** The target as people read it; empty where there is none. */
  target: string;
  /** Whether the target is met; absent where there is none, or nothing was measured. */
  met?: boolean;
  /** Everything behind the figure. */
  details: object;
  /** Day of the run, `YYYY-MM-DD`. */
  date: string;
}

export const today = (): string => new Date().toISOString().slice(0, 10);

/** The machine, as it matters to figures. */
export function machineText(): string {
  const model = cpus()[0]?.model.trim() || 'unknown processor';
  return `${availableParallelism()} cores of ${model}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}, Node ${process.version}`;
}

/** Replaces the text between `<!-- bench:NAME -->` and `<!-- /bench:NAME -->` of a file. */
export async function replaceBetweenMarkers(
  file: string,
  name: string,
  text: string,
): Promise<void> {
  const start = `<!-- bench:${name} -->`;
  const end = `<!-- /bench:${name} -->`;
  const before = await readFile(file, 'utf8');
  const from = before.indexOf(start);
  const to = before.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${file} has no markers ${start} … ${end}`);
  const after = `${before.slice(0, from + start.length)}\n\n${text.trim()}\n\n${before.slice(to)}`;
  await writeFile(file, after);
}

const VERDICT = { true: 'yes', false: '**no**' } as const;

/** Stores rows in `docs/bench/NAME.json` and shows all rows of it in `docs/performance.md`. */
export async function reportRows(name: string, rows: readonly Row[]): Promise<void> {
  const file = path.join('docs', 'bench', `${name}.json`);
  await mkdir(path.dirname(file), { recursive: true });
  const stored: { machine: string; rows: Row[] } = existsSync(file)
    ? JSON.parse(await readFile(file, 'utf8'))
    : { machine: '', rows: [] };
  const byId = new Map(stored.rows.map((row) => [row.id, row]));
  for (const row of rows) byId.set(row.id, row);
  const all = [...byId.values()];
  const machine = machineText();
  await writeFile(file, `${JSON.stringify({ machine, rows: all }, null, 2)}\n`);
  const lines = all.map(
    ({ what, measured, target, met, date }) =>
      `| ${what} | ${measured} | ${target} | ${met === undefined ? '–' : VERDICT[`${met}`]} | ${date} |`,
  );
  await replaceBetweenMarkers(
    path.join('docs', 'performance.md'),
    name,
    `Measured on ${machine}.\n\n| What | Measured | Must reach | Met | Date |\n| --- | --- | --- | --- | --- |\n${lines.join('\n')}`,
  );
  for (const { what, measured, target } of rows) console.log(`${what}: ${measured} (${target})`);
}
