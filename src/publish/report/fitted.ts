import { printable } from '../../errors.ts';
import { cut } from '../../lib/cut.ts';

/** Columns of a screen. */
const COLUMNS = 80;

const ACCEPT = '--accept-loss';

/** Cuts a line that is too long, unless users must type it. */
export const cutLine = (line: string): string =>
  line.includes(ACCEPT) ? line : cut(line, COLUMNS);

/** Breaks a text into lines that fit, and cuts the last one. Text that users must type is never cut or broken. */
export function fitted(text: string, indent: string, most: number): string[] {
  const line = `${indent}${printable(text)}`;
  if (line.includes(ACCEPT) || line.length <= COLUMNS || most === 1) return [cutLine(line)];
  const end = line.lastIndexOf(' ', COLUMNS);
  if (end <= indent.length) return [cutLine(line)];
  return [line.slice(0, end), ...fitted(line.slice(end + 1), indent, most - 1)];
}
