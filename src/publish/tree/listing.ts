import path from 'node:path';
import { isOutputFile, isOutputName } from '../../media/recipes.ts';
import { entriesOf } from '../../media/store/entries-of.ts';
import { OutputNames } from '../../media/store/output-names.ts';

export interface Listing {
  /** Files below the folder, with `/` between the parts. */
  files: string[];
  /** What is neither a file nor a folder, such as a symbolic link. */
  odd: string[];
}

/** A site's folder: its thumbnails are not among the files. */
export interface SiteListing extends Listing {
  /** Their names, but for the folders that were not looked into. */
  thumbnails: OutputNames;
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
 * The same of a site, which has twenty times as many thumbnails as files.
 *
 * @param known folders of thumbnails that hold nothing else, and are not looked into.
 */
export function listSite(folder: string, known: ReadonlySet<string> = new Set()): SiteListing {
  const thumbnails = new OutputNames();
  const listing = list(folder, {
    enters: (below) => !SHARD.test(below) || !known.has(below.slice(MEDIA.length)),
    apart: (below, file) => {
      if (!SHARD.test(below) || !isOutputFile(file)) return false;
      thumbnails.addEnd(below.slice(MEDIA.length) + file.slice(0, 18), file.slice(18));
      return true;
    },
  });
  return { ...listing, thumbnails };
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
