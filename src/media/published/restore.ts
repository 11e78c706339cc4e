import { existsSync } from 'node:fs';
import pMap from 'p-map';
import type { MediaConfig } from '../../config/schema.ts';
import { decideBounds, machine } from '../bounds.ts';
import { fingerprintOf } from '../store/fingerprint.ts';
import { putOutput } from '../store/folder.ts';
import type { OutputNames } from '../store/output-names.ts';
import { FolderFiles } from './folder-files.ts';
import type { SiteFile } from './site-files.ts';

/** Where the published site lies. */
export interface PublishedSite {
  /** `site.url`; undefined where it is not to be asked. */
  url?: string | undefined;
  /** The published folder, where it is on this disk: it is looked at first. */
  folder?: string | undefined;
}

export interface RestoreProgress {
  /** Thumbnails that are wanted, and those of them that were asked for. */
  total: number;
  done: number;
  bytes: number;
}

export interface RestoreOptions {
  site: PublishedSite;
  /** Names and fingerprints of the outputs that are missing here. */
  wanted: ReadonlyMap<string, string>;
  media: MediaConfig;
  /** Names of the outputs in `folder`; what is fetched is added. */
  local: OutputNames;
  folder: string;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: RestoreProgress) => void) | undefined;
}

export interface Restored {
  outputs: number;
  /** Bytes that came from the site. */
  bytes: number;
  /** What could not be used, to be told. */
  problems: string[];
}

/** Where thumbnails of the published site come from. */
interface Pictures {
  /** Bytes that came over the network. */
  readonly received: number;
  /** @param name of an output. */
  picture(name: string): Promise<SiteFile>;
}

/**
 * Takes thumbnails from the published site, so that a build on an empty disk need not make them
 * again. Each must have the fingerprint that its dealer's record says; whatever is odd is as if it
 * were not there, and is made.
 */
export async function restorePublished(options: RestoreOptions): Promise<Restored> {
  const { site, wanted, local, signal, media } = options;
  const bounds = decideBounds(media, machine());
  const missing = () => [...wanted].filter(([name]) => !local.has(name));
  const before = missing().length;
  // A folder that lacks something is made again; only a site that should have it is worth a word.
  if (site.folder !== undefined && existsSync(site.folder)) {
    await take(new FolderFiles(site.folder), missing(), bounds.downloads, options);
  }
  const left = missing();
  const restored: Restored = { outputs: before - left.length, bytes: 0, problems: [] };
  if (site.url === undefined || left.length === 0) return restored;
  // What speaks HTTP is loaded only where there is something to ask for.
  const { SiteFiles } = await import('./site-files.ts');
  const files = new SiteFiles(site.url, { ...media, ...bounds }, signal);
  try {
    const reasons = await take(files, left, bounds.downloads, options);
    restored.problems = Array.from(
      reasons,
      ([why, count]) => `Thumbnails on the published site are not used (${count}): ${why}.`,
    );
  } finally {
    await files.close();
  }
  restored.bytes = files.received;
  restored.outputs = before - missing().length;
  return restored;
}

/** @returns how many could not be used, by the reason. */
async function take(
  files: Pictures,
  wanted: readonly [name: string, fingerprint: string][],
  concurrency: number,
  { folder, local, onProgress, signal }: RestoreOptions,
): Promise<Map<string, number>> {
  const reasons = new Map<string, number>();
  let done = 0;
  const one = async ([name, fingerprint]: (typeof wanted)[number]): Promise<string | undefined> => {
    const file = await files.picture(name);
    if ('why' in file) return file.why;
    if (fingerprintOf(file.bytes) !== fingerprint) return 'they are not as they were made';
    await putOutput(folder, name, file.bytes, fingerprint);
    local.add(name);
    return undefined;
  };
  await pMap(
    wanted,
    async (output) => {
      signal?.throwIfAborted();
      const why = await one(output);
      if (why !== undefined) reasons.set(why, (reasons.get(why) ?? 0) + 1);
      done++;
      onProgress?.({ total: wanted.length, done, bytes: files.received });
    },
    { concurrency },
  );
  return reasons;
}
