import { hash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from './files/write.ts';
import { programCacheFolder } from './own-package.ts';

/** The form of the files, and of their keys. */
const VERSION = 1;

const checksum = (body: string): string => hash('sha256', body, 'hex');

/**
 * Where builds keep it: with the packages, beside compiled code, and not in the cache that CI hands
 * from run to run. Scripts lie here that visitors run, and `npm ci` clears it away.
 */
const FOLDER = programCacheFolder('made');

/**
 * What follows from files of our own (scripts made smaller, templates found to be good): as it was
 * made before, or made now. Each result lies in a file named by a hash of its input: it follows from
 * that alone and costs more than all else of a build in which nothing changed. A file that is lost or
 * torn costs that time once, never correctness; where none can be written, nothing is kept.
 *
 * @param input all that the result depends on, versions of programs included.
 * @throws what `make` throws; nothing is kept then.
 */
export async function cachedForProgram(
  input: readonly unknown[],
  make: () => Promise<string> | string,
  folder = FOLDER,
): Promise<string> {
  const file = path.join(folder, checksum(JSON.stringify([VERSION, ...input])));
  const text = await readFile(file, 'utf8').catch(() => '');
  const body = text.slice(65);
  if (text.slice(0, 64) === checksum(body)) return body;
  const made = await make();
  try {
    await mkdir(folder, { recursive: true });
    await writeFileAtomic(file, `${checksum(made)}\n${made}`);
  } catch {
    // Packages may belong to somebody else: it is made again next time.
  }
  return made;
}
