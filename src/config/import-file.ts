import { stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

/** Time of modification of each imported file, as of its first import. */
const known = new Map<string, number>();

/**
 * The default export of a file. Undefined where it has none. A file that changed since it was
 * imported first is read again, which `npm run dev` needs. The files that it imports are not.
 */
export async function importDefault(file: string): Promise<unknown> {
  const { mtimeMs } = await stat(file);
  const first = known.get(file) ?? mtimeMs;
  known.set(file, first);
  const query = mtimeMs === first ? '' : `?changed=${mtimeMs}`;
  const module: { default?: unknown } = await import(`${pathToFileURL(file).href}${query}`);
  return module.default;
}
