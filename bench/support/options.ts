import type { ParseArgsConfig } from 'node:util';
import { parse } from '../../scripts/cli.ts';

/** Options of a measurement; `--help` prints `usage` and ends the process. */
export function benchOptions<O extends NonNullable<ParseArgsConfig['options']>>(
  usage: string,
  options: O,
) {
  if (process.argv.includes('--help') || process.argv.includes('-h')) {
    console.log(usage.trim());
    process.exit(0);
  }
  return parse(process.argv.slice(2), options).values;
}
