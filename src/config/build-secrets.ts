import { SecretFoundError } from '../errors.ts';
import { engineSecrets, type QueueAndStoreConfig } from './engines.ts';
import type { LoadedConfig } from './load.ts';
import type { Secret } from './secret.ts';
import type { SecretSearch } from './secret-search.ts';

/** The part of a configuration that holds secrets. */
export type WithSecrets = Pick<LoadedConfig, 'dealers' | 'accounts' | 'siteSecret'>;

/** All secrets of a build. */
export const secretsOf = (
  { dealers, accounts, siteSecret }: WithSecrets,
  engines: QueueAndStoreConfig = {},
): Secret[] => [
  ...[...dealers, ...accounts].map(({ apiKey }) => apiKey),
  ...(siteSecret ? [siteSecret] : []),
  ...engineSecrets(engines),
];

/** Where a key was found: in a file's name, or in its bytes. */
export type KeyPlace = 'name' | 'bytes';

/** Where a file contains any of the keys. Undefined where it contains none. */
export function keyIn(search: SecretSearch, file: string, bytes: Buffer): KeyPlace | undefined {
  if (search.isIn(Buffer.from(file))) return 'name';
  return search.isIn(bytes) ? 'bytes' : undefined;
}

/** @throws {SecretFoundError} a key was found. The error names the file, unless the key is in the name. */
export function refuseKey(file: string, where: KeyPlace | undefined): void {
  if (!where) return;
  throw new SecretFoundError({
    code: 'secret-in-site',
    what: `An API key was found in ${where === 'name' ? 'a file name' : `the file ${file}`} of the new site.`,
    why: 'Everything in that folder becomes public, so nothing was published.',
    fix: 'Find its source, such as an address of the service or the configuration, and have the key replaced.',
  });
}
