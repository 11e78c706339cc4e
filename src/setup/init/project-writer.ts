import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Write } from '../upgrade/originals.ts';
import { checkPlace, writeProjectFiles } from './write.ts';

/**
 * Writes files of a project as `init` does: each whole, through no link, over nothing that is protected.
 *
 * @param keepsCopy of which files that are there a copy is kept.
 */
export const writerFor =
  (root: string, keepsCopy: (file: string) => boolean): Write =>
  async (target, text) => {
    const file = path.relative(root, target).split(path.sep).join('/');
    await checkPlace(root, file);
    const isThere = await readFile(target).then(
      () => true,
      () => false,
    );
    const loses = isThere && keepsCopy(target) ? file : undefined;
    const state = isThere ? 'replaced' : 'new';
    const [told = file] = await writeProjectFiles(root, [
      { file, text, mode: 0o644, state, loses },
    ]);
    return told;
  };
