import { hash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from './files/write.ts';
import { programCacheFolder } from './own-package.ts';

/** Version of the format of the files and of their keys. */
const VERSION = 1;

const checksum = (body: string): string => hash('sha256', body, 'hex');

/**
 * The cache is beside the packages rather than in the cache that CI passes from run to run, because it
 * contains scripts that visitors run. `npm ci` removes it.
 */
const FOLDER = programCacheFolder('made');

/**
 * A result that depends only on files of this program (minified scripts, checked templates), from the
 * cache or made now. Each result is in a file named by a hash of its input; making them takes longer
 * than everything else in a build without changes. A lost or torn file is made again. If none can
 * be written, nothing is cached.
 *
 * @param input all that the result depends on, versions of programs included.
 * @throws the error of `make`. Then nothing is cached.
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
    // The folder of packages may be read-only: the result is made again next time.
  }
  return made;
}
