import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { CHANGES, type Changes, readChanges } from '../../src/change-set/change-set.ts';
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

/**
 * The served site after a change set: its new bytes and the published files. Every file must have the size
 * and the hash in the list.
 */
export function applied({ list, files }: ChangeSet, published: Tree): Map<string, string> {
  const served = new Map<string, string>();
  for (const [name, { size, hash }] of list.files) {
    const text = files.get(name) ?? published.get(name);
    if (text === undefined) throw new Error(`${name} is neither new nor published.`);
    const bytes = Buffer.from(text, 'latin1');
    expect([bytes.length, fileHash(bytes)], name).toEqual([size, hash]);
    served.set(name, text);
  }
  for (const name of files.keys()) expect(list.files.has(name)).toBe(true);
  return served;
}
