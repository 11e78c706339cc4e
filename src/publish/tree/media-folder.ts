import { lstatSync, rmdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { outputName } from '../../media/store/fingerprint.ts';
import { OutputNames } from '../../media/store/output-names.ts';
import { mediaFolder, stagingFolder, whyImmovable, workFolder } from '../swap.ts';
import { MEDIA, type SiteListing } from './listing.ts';
import { place } from './place.ts';

export interface MediaFolderOptions {
  /** Folder that thumbnails are taken from: each planned one is there as it was made. */
  store: string;
  /** The published folder. */
  output: string;
}

/**
 * The thumbnails of the next site. There are twenty times as many as pages, and from night to night
 * nearly all are the same. So their folder moves on from site to site, and only those that it lacks
 * are staged; or all, where it has less than half of them or cannot be moved.
 */
export class MediaFolder {
  /** Those of the published folder that are as they were made, and stay there. */
  readonly staying: OutputNames;
  readonly #planned: OutputNames;
  readonly #options: MediaFolderOptions;

  /** Stages what has to be, in a staging folder without thumbnails. */
  constructor(planned: OutputNames, options: MediaFolderOptions) {
    this.#planned = planned;
    this.#options = options;
    const found = isMovable(options.output) ? unaltered(planned, options) : new OutputNames();
    this.staying = found.size * 2 > planned.size ? found : new OutputNames();
    this.#stage(planned.without(this.staying));
  }

  /**
   * Stages what the published folder has lost since.
   *
   * @param now what is in it.
   * @returns whether its thumbnails stay; else all are staged.
   */
  complete({ thumbnails }: SiteListing): boolean {
    this.#stage(this.staying.without(thumbnails));
    return this.staying.size > 0 && thumbnails.size > 0;
  }

  /**
   * Removes what the former site had and the new one does not use.
   *
   * @param former what was in the published folder.
   */
  removeSurplus({ files, thumbnails }: SiteListing): void {
    const surplus = Array.from(thumbnails.without(this.#planned), (name) => MEDIA + name);
    // What systems put there by themselves, such as `.DS_Store`.
    surplus.push(...files.filter((file) => file.startsWith(MEDIA)));
    const folders = new Set<string>();
    for (const name of surplus) {
      const file = path.join(this.#options.output, name);
      rmSync(file, { force: true, maxRetries: 10 });
      folders.add(path.dirname(file));
    }
    for (const folder of folders) removeIfEmpty(folder);
  }

  #stage(names: Iterable<string>): void {
    const { store, output } = this.#options;
    const media = mediaFolder(stagingFolder(output));
    for (const name of names) place(`${store}/${name}`, `${media}/${name}`);
  }
}

/** Whether the folder of published thumbnails can be moved: not one that is a link, or mounted there. */
function isMovable(output: string): boolean {
  const media = mediaFolder(output);
  if (!lstatSync(media, { throwIfNoEntry: false })?.isDirectory()) return false;
  return whyImmovable(media, workFolder(output)) === undefined;
}

/** Thumbnails that the published folder has with size and time of those in the store, see `timeOf`. */
function unaltered(planned: OutputNames, { store, output }: MediaFolderOptions): OutputNames {
  const found = new OutputNames();
  const media = mediaFolder(output);
  const isSame = (name: string): boolean => {
    const its = lstatSync(`${media}/${name}`, { throwIfNoEntry: false });
    if (!its?.isFile()) return false;
    const made = statSync(`${store}/${name}`, { throwIfNoEntry: false });
    return its.size === made?.size && its.mtimeMs === made.mtimeMs;
  };
  for (const [hash, ends] of planned.pictures()) {
    found.addPictures(
      ends.filter((end) => isSame(outputName(hash, end))),
      [hash],
    );
  }
  return found;
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something is in it.
  }
}
