import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError, printable } from '../../errors.ts';
import { isSafeFile } from '../../lib/files/safe-file.ts';

/** What editors and file managers leave lying about, and copies that we keep of files that we change. */
const IGNORED = /^\.|~$|\.former(?:-\d+)?$|^(?:README\.md|Thumbs\.db)$/;

function refused(file: string, why: string, fix: string): ConfigError {
  return new ConfigError({
    code: 'theme-file-refused',
    what: `The theme's file ${printable(file)} is refused.`,
    why,
    fix,
  });
}

/**
 * Files below a folder, by their path in it with `/` between the parts. Everything that could lead
 * out of the folder is refused, not followed.
 *
 * @throws {ConfigError} a symbolic link, a device, or a name that not every system can hold.
 */
export async function filesBelow(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const visit = async (below: string): Promise<void> => {
    const entries = await readdir(path.join(folder, below), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (IGNORED.test(entry.name)) continue;
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      const file = path.join(folder, name);
      if (!entry.isDirectory() && !entry.isFile()) {
        throw refused(
          file,
          'It is a symbolic link or a device, which could lead to any file of this machine.',
          'Put a copy of the file in its place.',
        );
      }
      if (!isSafeFile(name)) {
        throw refused(
          file,
          'Its name is not one that every file system and web server can hold.',
          'Use letters, digits, dots, hyphens and underscores.',
        );
      }
      if (entry.isDirectory()) await visit(name);
      else found.set(name, file);
    }
  };
  await visit('');
  return found;
}

/** Whether a folder is there. @throws {ConfigError} something else has its name. */
export async function folderExists(folder: string): Promise<boolean> {
  const status = await lstat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (status === undefined || status.isDirectory()) return status !== undefined;
  throw new ConfigError({
    code: 'theme-no-folder',
    what: `The theme ${folder} is not a folder.`,
    why: 'Symbolic links are not followed, and a file cannot be a theme.',
    fix: 'Name the folder itself in site.theme.',
  });
}
