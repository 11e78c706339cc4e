import path from 'node:path';
import { OutputNames } from '../images/output-names.ts';
import { isOutputName } from '../images/recipes.ts';
import { MEDIA } from '../images/stores/folder.ts';
import { entriesOf } from '../lib/files/entries-of.ts';

export interface Listing {
  /** Files below the folder, with `/` between the parts. */
  files: string[];
  /** Entries that are neither files nor folders, such as symbolic links. */
  odd: string[];
}

/** The files of a site, with its thumbnails in a separate list. */
export interface SiteListing extends Listing {
  thumbnails: OutputNames;
}

/** Whether a file below a site's folder has the name of a thumbnail. */
export const isThumbnail = (file: string): boolean =>
  file.startsWith(MEDIA) && isOutputName(file.slice(MEDIA.length));

/**
 * Lists all files below a folder. The list of a missing folder is empty.
 *
 * @param onThumbnail receives the names of thumbnails, which are then not in `files`.
 */
export function listFiles(folder: string, onThumbnail?: (name: string) => void): Listing {
  const listing: Listing = { files: [], odd: [] };
  const visit = (below: string): void => {
    for (const entry of entriesOf(path.join(folder, below))) {
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) visit(name);
      else if (!entry.isFile()) listing.odd.push(name);
      else if (onThumbnail && isThumbnail(name)) onThumbnail(name.slice(MEDIA.length));
      else listing.files.push(name);
    }
  };
  visit('');
  return listing;
}

/** Lists a site's folder. It has about twenty times as many thumbnails as files, so they are stored compactly. */
export function listSite(folder: string): SiteListing {
  const thumbnails = new OutputNames();
  return { ...listFiles(folder, (name) => thumbnails.add(name)), thumbnails };
}
