import path from 'node:path';
import { wrongValue } from '../../lib/command-line/wrong-argument.ts';
import type { Encode } from './format.ts';

/** File extensions of each format, the default first. A format is loaded on demand. */
const FORMATS = {
  csv: { endings: ['.csv'], load: async () => (await import('./text.ts')).csv },
  ndjson: { endings: ['.ndjson', '.jsonl'], load: async () => (await import('./text.ts')).ndjson },
  parquet: { endings: ['.parquet'], load: async () => (await import('./parquet.ts')).parquet },
  xlsx: { endings: ['.xlsx'], load: async () => (await import('./xlsx.ts')).xlsx },
} satisfies Record<string, { endings: string[]; load: () => Promise<Encode> }>;

export type FormatName = keyof typeof FORMATS;
export const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[];

/** The default file extension of a format. */
export const endingOf = (name: FormatName): string => FORMATS[name].endings[0] ?? '';

export const loadFormat = (name: FormatName): Promise<Encode> => FORMATS[name].load();

/** A file extension that indicates a type of content: up to eight letters and digits, not only digits. */
const ENDING = /^\.(?=.*[a-z])[a-z0-9]{1,8}$/;

/**
 * Checks that the name of an export file fits its format.
 *
 * @throws {ConfigError} the path is a folder, or has the extension of another format.
 */
export function checkedOutput(file: string, format: FormatName): string {
  const { endings } = FORMATS[format];
  if (/[\\/]$/.test(file)) {
    const example = `batches${endings[0]}`;
    throw wrongValue('output', 'It names a folder.', `Name a file in it, such as ${example}.`);
  }
  const ending = path.extname(file).toLowerCase();
  if (!ENDING.test(ending) || endings.includes(ending)) return file;
  throw wrongValue(
    'output',
    `Its name ends in ${ending}, but ${format} is neither compressed nor converted.`,
    `Use a name that ends in ${endings[0]}, or choose another --format.`,
  );
}
