import { bench } from '../../bench/commands.ts';
import { runCommand } from './command.ts';

/** Names of all measurements. */
export const MEASUREMENTS = bench.commands.map(({ name }) => name);

/** A row below the head of a table. */
const TABLE = /^\| ?-{3}[^\n]*\|\n\| ./m;

/** Runs a measurement with tiny sizes. @returns how it ended, and whether it printed its table. */
export async function tryBenchmark(name: string) {
  const { exitCode, stdout, stderr } = await runCommand('bench', [name, '--short']);
  return { exitCode, stderr: exitCode === 0 ? '' : stderr, hasTable: TABLE.test(stdout) };
}
