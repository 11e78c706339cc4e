import path from 'node:path';
import { wrongValue } from '../../lib/command-line/wrong-argument.ts';
import type { FormatName } from './formats.ts';

/** Folder of exports without `--output`. Git, container images and the site leave `.batches` out. */
const EXPORT_FOLDER = '.batches/exports';

/** Endings of each format, the default first. */
const ENDINGS: Readonly<Record<FormatName, readonly [string, ...string[]]>> = {
  csv: ['.csv'],
  ndjson: ['.ndjson', '.jsonl'],
  parquet: ['.parquet'],
  xlsx: ['.xlsx'],
  singer: ['.jsonl', '.ndjson'],
};

/** Endings that announce content that no export has: compressed, encrypted or of another program. */
const OTHERS =
  `.gz .gzip .tgz .zip .7z .rar .tar .bz2 .xz .zst .zstd .br .lz4 .snappy .age .gpg .pgp .enc
 .json .tsv .xls .xlsm .xlsb .ods .avro .orc .arrow .feather .sqlite .db .duckdb .sql
 .xml .html .htm .pdf`.split(/\s+/);

const MISLEADING = new Set([...OTHERS, ...Object.values(ENDINGS).flat()]);

/**
 * A file for an export, whose name fits its content.
 *
 * @throws {ConfigError} it names a folder, or has the ending of another format.
 */
export function checkedOutput(file: string, format: FormatName): string {
  const [usual] = ENDINGS[format];
  if (/[\\/]$/.test(file)) {
    throw wrongValue('output', 'It names a folder.', `Name a file in it, such as batches${usual}.`);
  }
  const ending = path.extname(file).toLowerCase();
  if (!MISLEADING.has(ending) || ENDINGS[format].includes(ending)) return file;
  throw wrongValue(
    'output',
    `Its name ends in ${ending}, but ${format} is written as it is, neither compressed nor converted.`,
    `Let the name end in ${usual}, or choose another --format.`,
  );
}

interface Named {
  format: FormatName;
  profile: string;
  pii: string;
  account?: string | undefined;
  history: boolean;
  stream?: string | undefined;
  since?: string | undefined;
}

/**
 * The file of an export without `--output`. Its name shows its options, so a repeated export replaces
 * only its own file. Exports of changes each have a time in their name: none replaces another.
 */
export function defaultOutput(options: Named, now: Date): string {
  const { format, profile, pii, account, history, stream, since } = options;
  const parts = [
    'batches',
    profile,
    pii,
    account,
    history ? 'history' : undefined,
    stream,
    since === undefined ? undefined : now.toISOString().replaceAll(':', ''),
  ];
  const name = parts
    .filter((part) => part !== undefined)
    .map((part) => part.replace(/[^\w.-]/g, '_'));
  return path.join(EXPORT_FOLDER, `${name.join('-')}${ENDINGS[format][0]}`);
}
