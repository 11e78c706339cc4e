import { hash } from 'node:crypto';
import path from 'node:path';
import type { LoadedConfig } from './load.ts';

/**
 * Id of a configuration among those that share a cache or a store: twelve hex digits, from the path of
 * its file, relative to the working folder, and the address of its site. It is the same on every
 * machine of a CI.
 */
export function configurationId({ file, site }: Pick<LoadedConfig, 'file' | 'site'>): string {
  const place = path.relative('.', file).split(path.sep).join('/');
  return hash('sha256', `${place} ${site.url}`, 'hex').slice(0, 12);
}
