import pMap from 'p-map';
import type { SiteFile } from '../../change-set/change-set.ts';
import type { DeploySource, HostRun, Sent } from './types.ts';

/** Counts of sent files, and of the files among them that were not on this disk. */
export type SentFiles = Pick<Sent, 'files' | 'bytes' | 'fetched'>;

interface SendOptions {
  atOnce: number;
  send: (file: SiteFile, bytes: Buffer) => Promise<unknown>;
  /** Files of a lower rank are sent first. Without it, the order is undefined. */
  rankOf?: (path: string) => number;
}

/**
 * Passes the bytes of files to `send`, several at once, and reports progress. Files that are not on this disk
 * are fetched before the first one is sent.
 *
 * @throws {GateError} the bytes of some files are lost. Nothing was sent.
 */
export async function sendFiles(
  files: readonly SiteFile[],
  source: DeploySource,
  run: HostRun,
  { atOnce, send, rankOf = () => 0 }: SendOptions,
): Promise<SentFiles> {
  await source.fetch(files);
  let sent = 0;
  const sendOne = async (file: SiteFile) => {
    run.signal.throwIfAborted();
    await send(file, await source.bytes(file));
    reportSent(run, ++sent, files.length);
  };
  for (const [, group] of groupByRank(files, ({ path }) => rankOf(path))) {
    await pMap(group, sendOne, { concurrency: atOnce });
  }
  return countSent(files, source);
}

export const reportSent = ({ console }: HostRun, done: number, total: number): void =>
  console.progress(`Files sent: ${done} of ${total}`, done / total);

export const countOf = (files: readonly SiteFile[]) => ({
  files: files.length,
  bytes: files.reduce((sum, { size }) => sum + size, 0),
});

export const countSent = (files: readonly SiteFile[], source: DeploySource): SentFiles => ({
  ...countOf(files),
  fetched: countOf(files.filter(({ path }) => !source.has(path))),
});

/** One file for each content, by the host's name for it. Prefers files on this disk. */
export function onePerContent(
  files: Iterable<SiteFile>,
  source: DeploySource,
  nameOf: (file: SiteFile) => string,
): Map<string, SiteFile> {
  const filesByName = new Map<string, SiteFile>();
  for (const file of files) {
    const name = nameOf(file);
    if (!filesByName.has(name) || source.has(file.path)) filesByName.set(name, file);
  }
  return filesByName;
}

/** Items by rank, the lowest rank first. */
export const groupByRank = <T>(items: Iterable<T>, rankOf: (item: T) => number): [number, T[]][] =>
  [...Map.groupBy(items, rankOf)].sort(([a], [b]) => a - b);
