import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from './files/write.ts';
import { moduleFile, programCacheFolder } from './own-package.ts';

/** Version of the format of the files and of their keys. */
const VERSION = 1;

const checksum = (body: string): string => hash('sha256', body, 'hex');

/**
 * The cache is next to the packages, not in the cache that CI keeps between runs, because it contains scripts
 * that visitors run. `npm ci` removes it.
 */
const FOLDER = programCacheFolder('made');

/** The code of a module next to `from`, for the input of {@link cachedForProgram}: a checkout changes without a version. */
export const codeOf = (name: string, from: string): string =>
  readFileSync(moduleFile(name, from), 'utf8');

/**
 * A result that depends only on files of this program (minified scripts, checked templates), from the cache or
 * computed now. Computing takes longer than all other steps of a build without changes. Each result is in a file
 * that is named by a hash of its input. A lost or damaged file is written again. If the folder is read-only,
 * nothing is cached.
 *
 * @param input everything that the result depends on, including versions of programs and the code that makes it.
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
  const result = await make();
  try {
    await mkdir(folder, { recursive: true });
    await writeFileAtomic(file, `${checksum(result)}\n${result}`);
  } catch {
    // The folder of packages may be read-only. Then the result is computed again next time.
  }
  return result;
}
