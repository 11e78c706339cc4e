/** The user's files, and whether they are unchanged. */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

/** By path below a folder: bytes of a file, or the target of a link. */
export type Tree = Readonly<Record<string, string | { link: string }>>;

/** Writes missing files and returns them. */
export function writeTree(folder: string, tree: Tree): Map<string, string> {
  const written = new Map<string, string>();
  for (const [name, content] of Object.entries(tree)) {
    const file = path.join(folder, name);
    try {
      mkdirSync(path.dirname(file), { recursive: true });
      if (typeof content === 'string') writeFileSync(file, content, { flag: 'wx' });
      else symlinkSync(content.link, file);
    } catch {
      // If one path is a file and a folder, the first one counts.
      continue;
    }
    written.set(file, looks(file));
  }
  return written;
}

/** Everything below a folder, without following links. */
export function treeOf(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name));
  return new Map(files.sort().map((file) => [file, looks(file)]));
}

/** Changes to the user's files. Empty if there are none. */
export const changesOf = (before: ReadonlyMap<string, string>): string[] =>
  [...before].filter(([file, was]) => looks(file) !== was).map(([file]) => file);

function looks(file: string): string {
  const status = lstatSync(file, { throwIfNoEntry: false });
  if (!status) return 'gone';
  if (status.isSymbolicLink()) return `link to ${readlinkSync(file)}`;
  return status.isFile() ? `file ${readFileSync(file, 'latin1')}` : 'folder';
}
