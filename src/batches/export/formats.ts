import path from 'node:path';
import { wrongValue } from '../../lib/command-line/wrong-argument.ts';
import type { Format } from './format.ts';

/** Endings of each format's files, the default first. A format is loaded on demand. */
const FORMATS = {
  csv: { endings: ['.csv'], load: async () => (await import('./text.ts')).csv },
  ndjson: { endings: ['.ndjson', '.jsonl'], load: async () => (await import('./text.ts')).ndjson },
  parquet: { endings: ['.parquet'], load: async () => (await import('./parquet.ts')).format },
  xlsx: { endings: ['.xlsx'], load: async () => (await import('./xlsx.ts')).format },
} satisfies Record<string, { endings: string[]; load: () => Promise<Format> }>;

export type FormatName = keyof typeof FORMATS;
export const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[];

/** The usual ending of a format's files. */
export const endingOf = (name: FormatName): string => FORMATS[name].endings[0] ?? '';

export const loadFormat = (name: FormatName): Promise<Format> => FORMATS[name].load();

/** Folder of exports without `--output`. Git, container images and the site leave `.batches` out. */
const EXPORT_FOLDER = '.batches/exports';

/** An ending that announces some kind of content: up to eight letters and digits, not only digits. */
const ENDING = /^\.(?=.*[a-z])[a-z0-9]{1,8}$/;

/**
 * A file for an export, whose name fits its content.
 *
 * @throws {ConfigError} it names a folder, or has the ending of another format.
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
    `Its name ends in ${ending}, but ${format} is written as it is, neither compressed nor converted.`,
    `Let the name end in ${endings[0]}, or choose another --format.`,
  );
}

interface Named {
  format: FormatName;
  profile: string;
  pii: string;
  account?: string | undefined;
  history: boolean;
  erasures: boolean;
  stream?: string | undefined;
  since?: string | undefined;
  'since-change'?: number | undefined;
}

/**
 * The file of an export without `--output`. Its name shows its options, so a repeated export replaces
 * only its own file. Exports of changes each have a time in their name: none replaces another.
 */
export function defaultOutput(options: Named, now: Date): string {
  const { format, profile, pii, account, history, erasures, stream, since } = options;
  const kind = erasures ? 'erasures' : history ? 'history' : undefined;
  const isPart = (since ?? options['since-change']) !== undefined;
  const time = isPart ? now.toISOString().replaceAll(':', '') : undefined;
  const name = ['batches', profile, pii, account, kind, stream, time]
    .filter((part) => part !== undefined)
    .map((part) => part.replace(/[^\w.-]/g, '_'))
    .join('-');
  return path.join(EXPORT_FOLDER, name + endingOf(format));
}
