import { type Dirent, readdirSync } from 'node:fs';
import path from 'node:path';
import { isOutputFile } from '../../media/recipes.ts';
import { OutputNames } from '../../media/store/output-names.ts';

export interface Listing {
  /** Files below the folder, with `/` between the parts. */
  files: string[];
  /** What is neither a file nor a folder, such as a symbolic link. */
  odd: string[];
}

/** A site's folder: its thumbnails are not among the files. */
export interface SiteListing extends Listing {
  thumbnails: OutputNames;
}

/** Where thumbnails lie below a site's folder. */
export const MEDIA = 'media/';
const SHARD = /^media\/[0-9a-f]{2}$/;

/** Everything below a folder; nothing where it does not exist. */
export function listFiles(folder: string): Listing {
  return list(folder, () => false);
}

/** The same of a site, which has twenty times as many thumbnails as files. */
export function listSite(folder: string): SiteListing {
  const thumbnails = new OutputNames();
  const listing = list(folder, (below, file) => {
    if (!SHARD.test(below) || !isOutputFile(file)) return false;
    thumbnails.addEnd(below.slice(MEDIA.length) + file.slice(0, 18), file.slice(18));
    return true;
  });
  return { ...listing, thumbnails };
}

/** @param apart takes a file that is not to be among the others. */
function list(folder: string, apart: (below: string, file: string) => boolean): Listing {
  const listing: Listing = { files: [], odd: [] };
  const visit = (below: string): void => {
    for (const entry of entriesOf(path.join(folder, below))) {
      if (entry.isFile() && apart(below, entry.name)) continue;
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) visit(name);
      else if (entry.isFile()) listing.files.push(name);
      else listing.odd.push(name);
    }
  };
  visit('');
  return listing;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
