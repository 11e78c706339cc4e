import type { SecretSearch } from '../config/secret-search.ts';
import { SecretFoundError } from '../errors.ts';

/** @throws {SecretFoundError} a key is in the file's bytes or in its name. */
export function refuseSecrets(search: SecretSearch, file: string, bytes: Buffer): void {
  const inName = search.isIn(Buffer.from(file));
  if (!inName && !search.isIn(bytes)) return;
  throw new SecretFoundError({
    code: 'secret-in-site',
    what: `An API key was found in ${inName ? 'a file name' : `the file ${file}`} of the new site.`,
    why: 'Everything in that folder becomes public, so nothing was published.',
    fix: 'Find where it comes from (an address of the service? the configuration?), and have the key replaced.',
  });
}
