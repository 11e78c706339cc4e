import { type Dirent, readdirSync } from 'node:fs';
import path from 'node:path';

export interface Listing {
  /** Files below the folder, with `/` between the parts. */
  files: string[];
  /** What is neither a file nor a folder, such as a symbolic link. */
  odd: string[];
}

/** Everything below a folder; nothing where it does not exist. */
export function listFiles(folder: string): Listing {
  const listing: Listing = { files: [], odd: [] };
  const visit = (below: string): void => {
    for (const entry of entriesOf(path.join(folder, below))) {
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
