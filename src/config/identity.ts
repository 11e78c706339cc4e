import { hash } from 'node:crypto';
import path from 'node:path';
import type { LoadedConfig } from './load.ts';

/**
 * Names a configuration among those that share a cache or a store, by its file, as seen from the
 * working folder, and the address of its site: the same on every machine of a CI. Twelve hex digits.
 */
export function configurationId({ file, site }: Pick<LoadedConfig, 'file' | 'site'>): string {
  const place = path.relative('.', file).split(path.sep).join('/');
  return hash('sha256', `${place} ${site.url}`, 'hex').slice(0, 12);
}
