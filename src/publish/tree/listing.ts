import path from 'node:path';
import { isOutputFile, isOutputName } from '../../media/recipes.ts';
import { entriesOf } from '../../media/store/entries-of.ts';
import { OutputNames } from '../../media/store/output-names.ts';
import { stampOf } from '../../media/store/stamp.ts';
import type { ThumbnailMemory } from './page-manifest.ts';

export interface Listing {
  /** Files below the folder, with `/` between the parts. */
  files: string[];
  /** What is neither a file nor a folder, such as a symbolic link. */
  odd: string[];
}

/** A site's folder: its thumbnails are not among the files. */
export interface SiteListing extends Listing {
  /** Their names; undefined where they are exactly those that are remembered. */
  thumbnails: OutputNames | undefined;
}

/** Where thumbnails lie below a site's folder. */
export const MEDIA = 'media/';
/** Whether a file below a site's folder has the name of a thumbnail. */
export const isThumbnail = (file: string): boolean =>
  file.startsWith(MEDIA) && isOutputName(file.slice(MEDIA.length));

const SHARD = /^media\/[0-9a-f]{2}$/;

/** Everything below a folder; nothing where it does not exist. */
export function listFiles(folder: string): Listing {
  return list(folder);
}

/**
 * The same of a site, which has twenty times as many thumbnails as files. While their folders are as
 * they were, the thumbnails are the same as then, and are not listed.
 */
export function listSite(folder: string, remembered?: ThumbnailMemory): SiteListing {
  const media = path.join(folder, MEDIA);
  const same = remembered !== undefined && isSame(media, remembered);
  const thumbnails = new OutputNames();
  const listing = list(folder, {
    enters: (below) => !same || !SHARD.test(below),
    apart: (below, file) => {
      if (!SHARD.test(below) || !isOutputFile(file)) return false;
      thumbnails.addEnd(below.slice(MEDIA.length) + file.slice(0, 18), file.slice(18));
      return true;
    },
  });
  return { ...listing, thumbnails: same ? undefined : thumbnails };
}

function isSame(media: string, { stamps }: ThumbnailMemory): boolean {
  const shards = entriesOf(media).filter((entry) => entry.isDirectory());
  return (
    shards.length === Object.keys(stamps).length &&
    shards.every(
      ({ name }) => stamps[name] !== undefined && stamps[name] === stampOf(path.join(media, name)),
    )
  );
}

/**
 * What is to be remembered of a site's thumbnails.
 *
 * @param outputs the thumbnails that it holds.
 * @returns undefined where any folder is too new.
 */
export function thumbnailMemory(folder: string, outputs: OutputNames): ThumbnailMemory | undefined {
  const media = path.join(folder, MEDIA);
  const stamps: ThumbnailMemory['stamps'] = {};
  for (const { name } of entriesOf(media).filter((entry) => entry.isDirectory())) {
    const stamp = stampOf(path.join(media, name));
    if (stamp === undefined) return undefined;
    stamps[name] = stamp;
  }
  return { digest: outputs.digest(), stamps };
}

interface Ways {
  /** Whether a folder is to be looked into. */
  enters?: (below: string) => boolean;
  /** Takes a file that is not to be among the others. */
  apart?: (below: string, file: string) => boolean;
}

function list(folder: string, { enters, apart }: Ways = {}): Listing {
  const listing: Listing = { files: [], odd: [] };
  const visit = (below: string): void => {
    for (const entry of entriesOf(path.join(folder, below))) {
      if (entry.isFile() && apart?.(below, entry.name)) continue;
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) {
        if (enters?.(name) !== false) visit(name);
      } else if (entry.isFile()) listing.files.push(name);
      else listing.odd.push(name);
    }
  };
  visit('');
  return listing;
}
