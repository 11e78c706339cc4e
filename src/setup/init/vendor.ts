/** The program inside a project, as `npm run new` puts it there: `vendor/vehicle-media-site-0.1.0-HASH.tgz`. */
import path from 'node:path';
import { readIfFile } from './env-file.ts';

export const VENDOR = 'vendor';

const TARBALL = /^vehicle-media-site-[\w.-]+\.tgz$/;

/** Whether a file in `vendor/` is a version of the program. */
export const isTarball = (name: string): boolean => TARBALL.test(name);

/** A tarball as package.json names it. */
export const specOf = (tarball: string): string => `file:${VENDOR}/${tarball}`;

/** Name of the tarball that a project depends on; undefined if it depends on another source, or not at all. */
export async function tarballOf(root: string): Promise<string | undefined> {
  const text = await readIfFile(path.join(root, 'package.json'));
  try {
    const { dependencies } = JSON.parse(text ?? '');
    const spec = String(dependencies?.['vehicle-media-site']);
    const name = spec.slice(specOf('').length);
    return spec === specOf(name) && isTarball(name) ? name : undefined;
  } catch {
    return undefined;
  }
}
