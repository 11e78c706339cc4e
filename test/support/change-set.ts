import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import {
  CHANGES,
  type Changes,
  readChanges,
  type SiteFile,
} from '../../src/change-set/change-set.ts';
import { fileHash } from '../../src/record/files.ts';
import { temporaryFolder } from './build.ts';

/** Files by path; their bytes as `latin1`, see `readTree`. */
export type Tree = ReadonlyMap<string, string>;

export interface ChangeSet {
  list: Changes;
  /** The bytes of what is new, by path below the site. */
  files: Tree;
}

/** A folder of a change set that was read as a tree: nothing else is in it. */
export async function changeSetOf(tree: Tree): Promise<ChangeSet> {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, CHANGES);
  await writeFile(file, Buffer.from(tree.get(CHANGES) ?? '', 'latin1'));
  const list = await readChanges(file);
  if (!list) throw new Error('The list of the change set cannot be read.');
  const files = new Map<string, string>();
  for (const [name, bytes] of tree) {
    if (name === CHANGES) continue;
    expect(name).toMatch(/^files\//);
    files.set(name.slice('files/'.length), bytes);
  }
  return { list, files };
}

const rowOf = (name: string, bytes: string): SiteFile => {
  const buffer = Buffer.from(bytes, 'latin1');
  return { path: name, size: buffer.length, hash: fileHash(buffer) };
};

/** The list that a site's files come to. */
export const listing = (site: Tree): ReadonlyMap<string, SiteFile> =>
  new Map(Array.from(site, ([name, bytes]) => [name, rowOf(name, bytes)]));

/**
 * What is served once a change set is: its own bytes, and those that are published already. Every file
 * has to have the size and the hash that the list says.
 */
export function applied({ list, files }: ChangeSet, published: Tree): Map<string, string> {
  const served = new Map<string, string>();
  for (const name of list.files.keys()) {
    const bytes = files.get(name) ?? published.get(name);
    if (bytes === undefined) throw new Error(`${name} is neither new nor published.`);
    served.set(name, bytes);
  }
  expect(list.files).toEqual(listing(served));
  for (const name of files.keys()) expect(list.files.has(name)).toBe(true);
  return served;
}
