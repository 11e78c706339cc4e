import { existsSync, lstatSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { GateError } from '../../errors.ts';
import type { OutputNames } from '../../media/store/output-names.ts';
import { mediaFolder, stagingFolder, whyImmovable, workFolder } from '../swap.ts';
import { MEDIA, type SiteListing } from './listing.ts';
import { place } from './place.ts';

/** The thumbnails of a site, and where they lie. */
export interface PlannedMedia {
  outputs: OutputNames;
  /** Those of them that the published folder does not have as they were made. */
  unpublished: OutputNames;
  /** The folder that those lie in. */
  folder: string;
}

/**
 * The thumbnails of the next site. There are twenty times as many as pages, and from night to night
 * nearly all are the same. So their folder moves on from site to site, and only those that it lacks
 * are staged; or all, where it has less than half of them or cannot be moved.
 */
export class MediaFolder {
  readonly #media: PlannedMedia;
  readonly #output: string;
  /** Whether those that are published stay where they are. */
  readonly #stays: boolean;

  /**
   * Stages what has to be, in a staging folder without thumbnails.
   *
   * @param output the published folder.
   */
  constructor(media: PlannedMedia, output: string) {
    this.#media = media;
    this.#output = output;
    const { outputs, unpublished } = media;
    this.#stays = unpublished.size * 2 < outputs.size && isMovable(output);
    this.#stage(this.#stays ? unpublished : outputs);
  }

  /**
   * Looks once more, just before it is published.
   *
   * @param now what is in the published folder.
   * @returns whether its thumbnails stay; else all are staged.
   * @throws {GateError} some of them have gone meanwhile, and are nowhere else.
   */
  complete({ thumbnails }: SiteListing): boolean {
    if (!this.#stays) return false;
    const { outputs, unpublished, folder } = this.#media;
    for (const name of outputs.without(thumbnails)) {
      if (unpublished.has(name)) continue;
      if (!existsSync(`${folder}/${name}`)) throw lost(name);
      place(`${folder}/${name}`, `${mediaFolder(stagingFolder(this.#output))}/${name}`);
    }
    return thumbnails.size > 0;
  }

  /**
   * Removes what the former site had and the new one does not use.
   *
   * @param former what was in the published folder.
   */
  removeSurplus({ files, thumbnails }: SiteListing): void {
    const surplus = Array.from(thumbnails.without(this.#media.outputs), (name) => MEDIA + name);
    // What systems put there by themselves, such as `.DS_Store`.
    surplus.push(...files.filter((file) => file.startsWith(MEDIA)));
    const folders = new Set<string>();
    for (const name of surplus) {
      const file = path.join(this.#output, name);
      rmSync(file, { force: true, maxRetries: 10 });
      folders.add(path.dirname(file));
    }
    for (const folder of folders) removeIfEmpty(folder);
  }

  #stage(names: Iterable<string>): void {
    const { unpublished, folder } = this.#media;
    const [published, staging] = [this.#output, stagingFolder(this.#output)].map(mediaFolder);
    for (const name of names) {
      place(`${unpublished.has(name) ? folder : published}/${name}`, `${staging}/${name}`);
    }
  }
}

const lost = (name: string): GateError =>
  new GateError({
    code: 'publish-media-changed',
    what: `${MEDIA}${name} has gone from the published folder while the next site was made.`,
    why: 'Something else changes that folder.',
    fix: 'Run it again, and let nothing else write there. The published site is as it was.',
  });

/** Whether the folder of published thumbnails can be moved: not one that is a link, or mounted there. */
function isMovable(output: string): boolean {
  const media = mediaFolder(output);
  if (!lstatSync(media, { throwIfNoEntry: false })?.isDirectory()) return false;
  return whyImmovable(media, workFolder(output)) === undefined;
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something is in it.
  }
}
