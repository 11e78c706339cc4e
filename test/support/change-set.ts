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

/** Files by path. Their bytes are `latin1`, see `readTree`. */
export type Tree = ReadonlyMap<string, string>;

export interface ChangeSet {
  list: Changes;
  /** Bytes of new files, by path below the site. */
  files: Tree;
}

/** The folder of a change set read as a tree. It contains nothing else. */
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

/** The list for the files of a site. */
const listing = (site: Tree): ReadonlyMap<string, SiteFile> =>
  new Map(Array.from(site, ([name, bytes]) => [name, rowOf(name, bytes)]));

/**
 * The served site after a change set: its new bytes and the published files. Every file must have the size
 * and the hash in the list.
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
