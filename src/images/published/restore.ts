import { existsSync } from 'node:fs';
import pMap from 'p-map';
import type { MediaConfig } from '../../config/schema.ts';
import { folderReader } from '../../record/file.ts';
import type { KnownPictures } from '../../record/known-pictures.ts';
import { decideBounds, machine } from '../bounds.ts';
import type { Fallbacks } from '../fallbacks.ts';
import { outputName } from '../fingerprint.ts';
import type { OutputNames } from '../output-names.ts';
import type { Source } from '../plan.ts';
import type { MediaEngines } from '../process/tasks.ts';
import { outputSuffixes } from '../recipes.ts';
import { copyOutput, MEDIA, mediaFolder, type OutputFiles } from '../stores/folder.ts';

/** Locations of the published site's thumbnails. */
export interface PublishedThumbnails {
  /** `site.url`. Undefined if nothing should be requested from it. */
  url?: string;
  /** The published folder, if it is on this disk. It is read first. */
  folder?: string;
  /**
   * Unchanged thumbnails of a site on another disk, according to its lists. They need not be on this disk.
   */
  names?: OutputNames;
}

export interface RestoreProgress {
  /** Number of missing thumbnails, and of requested thumbnails. */
  total: number;
  done: number;
  bytes: number;
}

export interface RestoreOptions {
  /** Queue and store, if this process and its cache folder do not do all the work. */
  engines?: MediaEngines;
  /** Locations from which thumbnails may be restored, after a shared store. */
  published?: PublishedThumbnails;
  sources: readonly Source[];
  media: MediaConfig;
  signal?: AbortSignal;
  /** Called with the progress while thumbnails are restored. */
  onRestore?: (progress: RestoreProgress) => void;
}

/** Known pictures and existing outputs. */
interface LocalPictures {
  known: KnownPictures;
  fallbacks: Fallbacks;
  /** Names of the outputs in `folder`. Restored ones are added. */
  local: OutputNames;
  folder: string;
}

/** Names and fingerprints of the outputs that are missing in the folder. */
function missingOutputs(
  sources: readonly Source[],
  { known, fallbacks, local }: LocalPictures,
): Map<string, string> {
  const wanted = new Map<string, string>();
  for (const { key, recipes } of sources) {
    const picture = known.known(fallbacks.formerOf(key));
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
 * Restores thumbnails from the shared store and the published site, so that a build on an empty disk need not make
 * them again. A thumbnail without the fingerprint of its dealer's record counts as missing, and is made again.
 *
 * @returns the number of restored outputs, bytes from the site, and problems for the report.
 */
export async function restoreMissing(options: RestoreOptions, pictures: LocalPictures) {
  const { published: site, engines, sources, signal, media } = options;
  const wanted = missingOutputs(sources, pictures);
  const missing = () => [...wanted].filter(([name]) => !pictures.local.has(name));
  // Outputs that are missing in the folder are made again. Only outputs that are missing on the site are reported.
  if (site?.folder !== undefined && existsSync(site.folder)) {
    const files = folderReader(mediaFolder(site.folder));
    await copyAll(files, missing(), options, pictures);
  }
  if (engines?.store) await copyAll(engines.store, missing(), options, pictures);
  const remaining = missing();
  if (site?.url === undefined || remaining.length === 0)
    return { outputs: wanted.size - remaining.length, bytes: 0, problems: [] };
  // The HTTP code is loaded only if there is something to request.
  const { SiteFiles } = await import('./site-files.ts');
  await using files = new SiteFiles(site.url, MEDIA, media, signal);
  const reasons = await copyAll(files, remaining, options, pictures);
  const problems = Array.from(
    reasons,
    ([why, count]) => `Thumbnails on the published site are not used (${count}): ${why}.`,
  );
  return { outputs: wanted.size - missing().length, bytes: files.received, problems };
}

/** @returns the number of thumbnails that could not be used, by reason. */
async function copyAll(
  files: OutputFiles & { readonly received?: number },
  outputs: readonly [name: string, fingerprint: string][],
  { onRestore, signal, engines, media }: RestoreOptions,
  { folder, local }: LocalPictures,
): Promise<Map<string, number>> {
  const reasons = new Map<string, number>();
  let done = 0;
  await pMap(
    outputs,
    async ([name, fingerprint]) => {
      signal?.throwIfAborted();
      const result = await copyOutput(files, folder, name, fingerprint);
      if ('why' in result) reasons.set(result.why, (reasons.get(result.why) ?? 0) + 1);
      else {
        local.add(name);
        // The store did not have this output.
        if (files.received !== undefined) await engines?.store?.put(name, result.bytes);
      }
      done++;
      onRestore?.({ total: outputs.length, done, bytes: files.received ?? 0 });
    },
    { concurrency: decideBounds(media, machine()).downloads },
  );
  return reasons;
}
