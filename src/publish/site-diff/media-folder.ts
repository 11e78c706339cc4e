import { lstatSync, rmdirSync, rmSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { MEDIA, type SiteListing } from '../../change-set/listing.ts';
import type { MediaResult } from '../../images/line/types.ts';
import { OutputNames } from '../../images/output-names.ts';
import { linkFile } from '../../lib/files/hard-link.ts';
import { mediaFolder, stagingFolder, whyImmovable, workFolder } from '../output/swap.ts';

/** Thumbnails of a site, and the folder of those that the published folder lacks. */
export type Thumbnails = Pick<MediaResult, 'outputs' | 'unpublished' | 'folder'>;

/**
 * The thumbnails of the next site. There are twenty times as many as pages, and from night to night
 * nearly all are the same. So their folder moves on from site to site, and only those that it lacks
 * are staged; or all, where it has less than half of them or cannot be moved.
 */
export class MediaFolder {
  /** Intact thumbnails of the published folder, which stay there. */
  readonly staying: OutputNames;
  readonly #thumbnails: Thumbnails;
  readonly #output: string;

  /**
   * Stages the thumbnails that the published folder lacks; the staging folder must have none yet.
   *
   * @param output the published folder.
   */
  constructor(thumbnails: Thumbnails, output: string) {
    this.#thumbnails = thumbnails;
    this.#output = output;
    const { outputs, unpublished, folder } = thumbnails;
    const published = mediaFolder(output);
    const isMost = unpublished.size * 2 < outputs.size;
    this.staying = new OutputNames(isMost && isMovable(output) ? outputs.without(unpublished) : []);
    for (const name of outputs.without(this.staying)) {
      this.#stage(name, unpublished.has(name) ? folder : published);
    }
  }

  /**
   * Stages thumbnails that the published folder has lost since.
   *
   * @param now its current listing.
   * @returns whether its thumbnails stay; else all are staged.
   */
  complete({ thumbnails }: SiteListing): boolean {
    const { outputs, folder } = this.#thumbnails;
    for (const name of this.staying.without(thumbnails)) this.#stage(name, folder);
    // Where a kill leaves what is too many, the next build must look into its folder: see `isPublished`.
    const now = new Date();
    const surplus = Array.from(thumbnails.without(outputs), (name) => path.dirname(name));
    for (const shard of new Set(surplus)) {
      utimesSync(path.join(mediaFolder(this.#output), shard), now, now);
    }
    return this.staying.size > 0 && thumbnails.size > 0;
  }

  /**
   * Removes thumbnails that only the former site used.
   *
   * @param former listing of the former published folder.
   */
  removeSurplus({ files, thumbnails }: SiteListing): void {
    const surplus = Array.from(
      thumbnails.without(this.#thumbnails.outputs),
      (name) => MEDIA + name,
    );
    // Files of the operating system, such as `.DS_Store`.
    surplus.push(...files.filter((file) => file.startsWith(MEDIA)));
    const folders = new Set<string>();
    for (const name of surplus) {
      const file = path.join(this.#output, name);
      rmSync(file, { force: true, maxRetries: 10 });
      folders.add(path.dirname(file));
    }
    for (const folder of folders) removeIfEmpty(folder);
  }

  #stage(name: string, from: string): void {
    linkFile(`${from}/${name}`, `${mediaFolder(stagingFolder(this.#output))}/${name}`);
  }
}

/** Whether the folder of published thumbnails can be moved: a link or a mount point cannot. */
function isMovable(output: string): boolean {
  const media = mediaFolder(output);
  if (!lstatSync(media, { throwIfNoEntry: false })?.isDirectory()) return false;
  return whyImmovable(media, workFolder(output)) === undefined;
}

/** Removes a folder if it is empty. */
export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The folder is not empty.
  }
}
