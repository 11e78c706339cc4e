import path from 'node:path';
import { OutputNames } from '../images/output-names.ts';
import { isOutputFile, isOutputName } from '../images/recipes.ts';
import { entriesOf } from '../lib/files/entries-of.ts';

export interface Listing {
  /** Files below the folder, with `/` between the parts. */
  files: string[];
  /** Entries that are neither files nor folders, such as symbolic links. */
  odd: string[];
}

/** A site's folder: its thumbnails are not among the files. */
export interface SiteListing extends Listing {
  thumbnails: OutputNames;
}

/** Where thumbnails lie below a site's folder. */
export const MEDIA = 'media/';
/** Whether a file below a site's folder has the name of a thumbnail. */
export const isThumbnail = (file: string): boolean =>
  file.startsWith(MEDIA) && isOutputName(file.slice(MEDIA.length));

const SHARD = /^media\/([0-9a-f]{2})$/;

/**
 * Everything below a folder; nothing where it does not exist.
 *
 * @param onThumbnail receives the names of thumbnails, which are then left out of `files`.
 */
export function listFiles(folder: string, onThumbnail?: (name: string) => void): Listing {
  const listing: Listing = { files: [], odd: [] };
  const visit = (below: string): void => {
    const shard = SHARD.exec(below)?.[1];
    for (const entry of entriesOf(path.join(folder, below))) {
      if (onThumbnail && shard !== undefined && entry.isFile() && isOutputFile(entry.name)) {
        onThumbnail(`${shard}/${entry.name}`);
        continue;
      }
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) visit(name);
      else if (entry.isFile()) listing.files.push(name);
      else listing.odd.push(name);
    }
  };
  visit('');
  return listing;
}

/** Lists a site's folder, with thumbnails apart: there are twenty times as many of them as files. */
export function listSite(folder: string): SiteListing {
  const thumbnails = new OutputNames();
  return { ...listFiles(folder, (name) => thumbnails.add(name)), thumbnails };
}
