import { enableCompileCache } from 'node:module';
import path from 'node:path';

/**
 * Has Node keep compiled code, of modules that are loaded from now on, for the next run: stripping
 * types and compiling is two thirds of loading a build. It lies with the packages, not where Node
 * would put it: a folder that all users of a machine may write to must not say what runs beside a key,
 * and `npm ci` clears it away. Where it cannot be written, nothing is kept.
 */
export function keepCompiled(): void {
  enableCompileCache(path.resolve(import.meta.dirname, '../node_modules/.cache/compiled'));
}
