import { existsSync, statSync } from 'node:fs';
import { PUBLISHED_TIMES } from '../../src/record/published-records.ts';
import { readTree } from '../support/build.ts';
import type { Tree } from '../support/change-set.ts';

export type { Tree };

/** A published folder at one moment. */
export interface Published {
  inode: number | undefined;
  files: Tree;
}

export async function published(folder: string): Promise<Published> {
  if (!existsSync(folder)) return { inode: undefined, files: new Map() };
  return { inode: statSync(folder).ino, files: await readTree(folder) };
}

/** Files that differ between both, except the times of responses, which differ between builds. */
export const differing = (one: Tree, other: Tree): string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter(
    (file) => file !== PUBLISHED_TIMES && one.get(file) !== other.get(file),
  );

const WITHDRAWN = 'no longer available';

/** Vehicle pages of a dealer. */
export interface Pages {
  listed: Map<string, string>;
  withdrawn: Set<string>;
}

export function pagesOf(files: Tree, slug: string): Pages {
  const pages: Pages = { listed: new Map(), withdrawn: new Set() };
  for (const [file, html] of files) {
    if (!file.startsWith(`${slug}/`) || !/^[^/]+\/[^/]+\/index\.html$/.test(file)) continue;
    // Files for a dealer's own websites are not vehicles.
    if (file === `${slug}/embed/index.html`) continue;
    if (html.includes(WITHDRAWN)) pages.withdrawn.add(file);
    else pages.listed.set(file, html);
  }
  return pages;
}

/** The section of a vehicle's page that shows similar vehicles. It changes with the stock. */
const SIMILAR = /<section class="similar">.*?<\/section>/gs;

/**
 * Counts how often the page of a vehicle names its thumbnails. Names may repeat: two items with the same picture
 * have different thumbnails until both have its latest version.
 */
export const thumbnailsIn = (html: string): number =>
  html.replaceAll(SIMILAR, '').match(/media\/[\w/-]+\.(?:webp|jpg)/g)?.length ?? 0;
