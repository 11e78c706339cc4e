import pMap from 'p-map';
import type { SiteFile } from '../../change-set/change-set.ts';
import { LostContent } from './lost-content.ts';
import type { DeployEvent, DeploySource, HostRun } from './types.ts';

/** How many of the files were sent, and which of them were not on this disk. */
export interface SentFiles {
  files: number;
  bytes: number;
  fetched: { files: number; bytes: number };
}

export interface SendOptions {
  atOnce: number;
  send: (file: SiteFile, bytes: Buffer) => Promise<unknown>;
  /** All files of a lower rank are sent before those of a higher one; without it they are sent in any order. */
  rankOf?: (path: string) => number;
}

/**
 * Reads the bytes of files and passes each to `send`, several at once, and reports progress. A file
 * whose bytes are lost does not stop the others of its rank: the next deploy has less to do, and all that
 * is lost is known at once.
 *
 * @throws {LostContent} naming all files of a rank that are lost; its other files were sent.
 */
export async function sendFiles(
  files: readonly SiteFile[],
  source: DeploySource,
  { signal, notify }: HostRun,
  { atOnce, send, rankOf = () => 0 }: SendOptions,
): Promise<SentFiles> {
  const sent: SiteFile[] = [];
  const lost: SiteFile[] = [];
  const total = files.length;
  const sendOne = async (file: SiteFile) => {
    signal.throwIfAborted();
    const bytes = await source.bytes(file).catch((error: unknown) => {
      if (!(error instanceof LostContent)) throw error;
      lost.push(file);
      return undefined;
    });
    if (!bytes) return;
    await send(file, bytes);
    notify(sentProgress(sent.push(file), total));
  };
  for (const [, ofRank] of groupByRank(files, ({ path }) => rankOf(path))) {
    await pMap(ofRank, sendOne, { concurrency: atOnce });
    if (lost.length > 0) throw new LostContent(lost.sort((a, b) => (a.path < b.path ? -1 : 1)));
  }
  return countSent(sent, source);
}

export const sentProgress = (done: number, total: number): DeployEvent => ({
  kind: 'progress',
  text: `Files sent: ${done} of ${total}`,
  done,
  total,
});

export const countOf = (files: readonly SiteFile[]) => ({
  files: files.length,
  bytes: files.reduce((sum, { size }) => sum + size, 0),
});

export const countSent = (files: readonly SiteFile[], source: DeploySource): SentFiles => ({
  ...countOf(files),
  fetched: countOf(files.filter(({ path }) => !source.has(path))),
});

/** One file for each content, by the host's name of that content; one on this disk if there is one. */
export function onePerContent(
  files: Iterable<SiteFile>,
  source: DeploySource,
  nameOf: (file: SiteFile) => string,
): Map<string, SiteFile> {
  const found = new Map<string, SiteFile>();
  for (const file of files) {
    const name = nameOf(file);
    if (!found.has(name) || source.has(file.path)) found.set(name, file);
  }
  return found;
}

/** Items by rank, the lowest rank first. */
export const groupByRank = <T>(items: Iterable<T>, rankOf: (item: T) => number): [number, T[]][] =>
  [...Map.groupBy(items, rankOf)].sort(([a], [b]) => a - b);
