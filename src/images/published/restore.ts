import { existsSync } from 'node:fs';
import path from 'node:path';
import pMap from 'p-map';
import type { MediaConfig } from '../../config/schema.ts';
import { FolderRecords } from '../../record/file.ts';
import type { KnownPictures } from '../../record/known-pictures.ts';
import { decideBounds, machine } from '../bounds.ts';
import type { Fallbacks } from '../fallbacks.ts';
import { outputName } from '../fingerprint.ts';
import type { OutputNames } from '../output-names.ts';
import type { Source } from '../plan.ts';
import type { MediaEngines } from '../process/tasks.ts';
import { outputSuffixes } from '../recipes.ts';
import { copyOutput, type OutputFiles } from '../stores/folder.ts';

/** Where thumbnails of the published site are. */
export interface PublishedThumbnails {
  /** `site.url`. Undefined if nothing should be requested from it. */
  url?: string;
  /** The published folder, if it is on this disk. It is read first. */
  folder?: string;
  /**
   * Thumbnails that a site on another disk has unchanged, according to its lists: they need not be on
   * this disk.
   */
  names?: OutputNames;
}

export interface RestoreProgress {
  /** Number of wanted thumbnails, and of requested ones. */
  total: number;
  done: number;
  bytes: number;
}

export interface RestoreOptions {
  /** Their store is read before the site. */
  engines?: MediaEngines;
  /** Where thumbnails may be taken from. */
  published?: PublishedThumbnails;
  sources: readonly Source[];
  media: MediaConfig;
  signal?: AbortSignal;
  onRestore?: (progress: RestoreProgress) => void;
}

/** Known pictures and existing outputs. */
interface Here {
  known: KnownPictures;
  fallbacks: Fallbacks;
  /** Names of the outputs in `folder`. Restored ones are added. */
  local: OutputNames;
  folder: string;
}

export interface Restored {
  outputs: number;
  /** Bytes that came from the site. */
  bytes: number;
  /** Problems for the report: thumbnails that could not be used. */
  problems: string[];
}

/** Names and fingerprints of the outputs that are missing here. */
function missingOutputs(
  sources: readonly Source[],
  { known, fallbacks, local }: Here,
): Map<string, string> {
  const wanted = new Map<string, string>();
  for (const { key, recipes } of sources) {
    const former = fallbacks.formerOf(key);
    const picture = former === undefined ? undefined : known.known(former);
    if (!picture) continue;
    const { hash } = picture.entry;
    const suffixes = outputSuffixes(picture.content, recipes);
    if (local.hasAll(hash, suffixes)) continue;
    for (const suffix of suffixes) {
      const name = outputName(hash, suffix);
      const fingerprint = picture.content.outputs[suffix];
      if (fingerprint !== undefined && !local.has(name)) wanted.set(name, fingerprint);
    }
  }
  return wanted;
}

/**
 * Restores thumbnails from the shared store and the published site, so that a build on an empty disk
 * need not make them again. Each must have the fingerprint of its dealer's record. Any other is
 * treated as missing and is made again.
 */
export async function restoreMissing(
  options: RestoreOptions,
  here: Here,
): Promise<Restored | undefined> {
  const { published: site, engines, sources, signal, media } = options;
  if (!site && !engines?.store) return undefined;
  const wanted = missingOutputs(sources, here);
  const bounds = decideBounds(media, machine());
  const missing = () => [...wanted].filter(([name]) => !here.local.has(name));
  // Outputs that the folder lacks are made again. Only those missing on the site are reported.
  if (site?.folder !== undefined && existsSync(site.folder)) {
    const files = new FolderRecords(path.join(site.folder, 'media'));
    await take(files, missing(), bounds.downloads, options, here);
  }
  if (engines?.store) await take(engines.store, missing(), bounds.downloads, options, here);
  const left = missing();
  const restored: Restored = { outputs: wanted.size - left.length, bytes: 0, problems: [] };
  if (site?.url === undefined || left.length === 0) return restored;
  // The HTTP code is loaded only if there is something to request.
  const { SiteFiles } = await import('./site-files.ts');
  const files = new SiteFiles(site.url, 'media/', { ...media, ...bounds }, signal);
  try {
    const reasons = await take(files, left, bounds.downloads, options, here);
    restored.problems = Array.from(
      reasons,
      ([why, count]) => `Thumbnails on the published site are not used (${count}): ${why}.`,
    );
  } finally {
    await files.close();
  }
  restored.bytes = files.received;
  restored.outputs = wanted.size - missing().length;
  return restored;
}

/** @returns the number of thumbnails that could not be used, by reason. */
async function take(
  files: OutputFiles & { readonly received?: number },
  wanted: readonly [name: string, fingerprint: string][],
  concurrency: number,
  { onRestore, signal, engines }: RestoreOptions,
  { folder, local }: Here,
): Promise<Map<string, number>> {
  const reasons = new Map<string, number>();
  let done = 0;
  await pMap(
    wanted,
    async ([name, fingerprint]) => {
      signal?.throwIfAborted();
      const copied = await copyOutput(files, folder, name, fingerprint);
      if ('why' in copied) reasons.set(copied.why, (reasons.get(copied.why) ?? 0) + 1);
      else {
        local.add(name);
        // The store lacked this output of the site.
        if (files.received !== undefined) await engines?.store?.put(name, copied.bytes);
      }
      done++;
      onRestore?.({ total: wanted.length, done, bytes: files.received ?? 0 });
    },
    { concurrency },
  );
  return reasons;
}
