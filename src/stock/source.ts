/** Reads the bytes of a stock list from a file, the newest file in a folder, or a URL. */
import { hash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { LoadedConfig, WithKey } from '../config/load.ts';
import type { DealerConfig, MediaConfig } from '../config/schema.ts';
import { ConfigError, UnreachableError } from '../errors.ts';
import { readIfReadable } from '../lib/files/read.ts';
import { reasonOf, refuseOpenFiles } from '../lib/files/system-errors.ts';
import { writeFileAtomic } from '../lib/files/write.ts';

/** A dealer with a stock list. */
export type Listed = Pick<WithKey<DealerConfig>, 'id' | 'listKey'> & {
  stock: NonNullable<DealerConfig['stock']>;
};

export interface SourceOptions {
  config: Pick<LoadedConfig, 'file' | 'media'>;
  /** Folder for copies of downloaded lists. Undefined: keeps no copies. */
  cacheDir?: string;
  /** Maximum age of a copy that is used without a request, in milliseconds. */
  maxAge?: number;
  signal?: AbortSignal;
}

const isAddress = (file: string): boolean => /^https?:\/\//i.test(file);

/** Name of a list for messages. Omits the query of a URL, which may contain credentials. */
export function listName(file: string): string {
  const { origin, pathname } = (isAddress(file) && URL.parse(file)) || {};
  return origin === undefined ? file : `${origin}${pathname}`;
}

/** The absolute path of a list or its folder. Undefined for a URL. */
export const listPath = (file: string, configFile: string): string | undefined =>
  isAddress(file) ? undefined : path.resolve(path.dirname(configFile), file);

/** Not hidden files: a Mac writes `._stock.csv` after `stock.csv`. */
const LIST_FILE = /^[^.].*\.(?:csv|tsv|txt|json)$/i;

/** The newest list in a folder. If lists are equally new, the last by name. Returns other paths unchanged. */
async function newestIn(file: string): Promise<string> {
  const stats = await stat(file);
  if (!stats.isDirectory()) return file;
  const names = (await readdir(file)).filter((name) => LIST_FILE.test(name)).sort();
  if (names.length === 0) throw new Error('The folder has no .csv, .tsv, .txt or .json file.');
  const files = await Promise.all(
    names.map(async (name) => ({ name, time: (await stat(path.join(file, name))).mtimeMs })),
  );
  const [newest] = files.reverse().sort((a, b) => b.time - a.time);
  return path.join(file, newest?.name ?? '');
}

/** The header for a token, or for `name:password`. */
const authorizationOf = (credentials: string): string =>
  credentials.includes(':')
    ? `Basic ${Buffer.from(credentials).toString('base64')}`
    : `Bearer ${credentials}`;

/** A stored list. Its first line has the validator for the next request (see `toValidator`), its time and checksum. */
function readCopy(file: string | undefined) {
  const stored = file === undefined ? undefined : readIfReadable(file);
  const end = stored?.indexOf('\n') ?? -1;
  if (!stored || end < 0) return undefined;
  try {
    const { validator, at, sha256 } = JSON.parse(stored.toString('utf8', 0, end));
    const bytes = stored.subarray(end + 1);
    return sha256 === hash('sha256', bytes) ? { validator, at, bytes } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Downloads a list, with a conditional request if there is a copy. Has the same protection as downloads of pictures:
 * only public addresses, limited size and time. With credentials, redirects are followed only within the same origin,
 * so that no other host receives them.
 */
async function download({ id, stock, listKey }: Listed, options: SourceOptions): Promise<Buffer> {
  const { config, cacheDir, maxAge = 0, signal } = options;
  const media: MediaConfig = { ...config.media, hosts: [] };
  // With other credentials, the same URL gives the list of another dealer.
  const source = listKey ? `${id} ${stock.file}` : stock.file;
  const name = `${hash('sha256', source).slice(0, 24)}.list`;
  const file = cacheDir === undefined ? undefined : path.join(cacheDir, 'stock', name);
  const copy = readCopy(file);
  if (copy && Math.abs(Date.now() - copy.at) < maxAge) return copy.bytes;
  const authorization = listKey && authorizationOf(listKey.reveal());
  // Loaded on demand: most lists are files, and loading an HTTP client takes time.
  const { Downloader } = await import('../download/download.ts');
  await using downloader = new Downloader(stock.file, media, 'list', authorization);
  const received = await downloader.get(stock.file, copy?.validator, signal);
  signal?.throwIfAborted();
  if (received.kind === 'failed') {
    throw new UnreachableError({
      code: 'stock-list-unreachable',
      what: `The stock list ${listName(stock.file)} could not be fetched.`,
      why: `${received.message[0]?.toUpperCase()}${received.message.slice(1)}.`,
      fix: 'Check dealers[].stock.file in a browser, and the credentials in the variable of stock.credentialsEnv.',
    });
  }
  const list = received.kind === 'unchanged' ? copy : received;
  if (!list) throw new Error('A response without a body to a request without a condition');
  const { bytes, validator } = list;
  if (file !== undefined && !listKey?.occursIn(bytes.toString())) {
    const copied = { validator, at: Date.now(), sha256: hash('sha256', bytes) };
    const line = Buffer.from(`${JSON.stringify(copied)}\n`);
    await writeFileAtomic(file, Buffer.concat([line, bytes]), { isProgramFile: true });
  }
  return bytes;
}

/** @throws {ConfigError} the file cannot be read. @throws {UnreachableError} the list cannot be downloaded. */
export async function readSource(dealer: Listed, options: SourceOptions): Promise<Buffer> {
  const { file } = dealer.stock;
  const local = listPath(file, options.config.file);
  if (local === undefined) return download(dealer, options);
  try {
    return await readFile(await newestIn(local));
  } catch (cause) {
    refuseOpenFiles(cause);
    throw new ConfigError({
      code: 'stock-file-unreadable',
      what: `The stock list ${file} could not be read.`,
      why: reasonOf(cause),
      fix: 'Check dealers[].stock.file. A relative path counts from the configuration file.',
      cause,
    });
  }
}
