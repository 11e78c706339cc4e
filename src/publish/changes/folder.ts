import { existsSync, lstatSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CHANGED_FILES, CHANGES, isChangesFile } from '../../change-set/change-set.ts';
import { ConfigError } from '../../errors.ts';
import { SYSTEM_FILES, some } from '../../lib/files/claim.ts';
import { entriesOf } from '../../lib/files/entries-of.ts';
import { TIMES } from '../../record/times.ts';

/** The folder of a change set: its list, and the bytes of what is new. */

/** The folder of the bytes in a change set's folder. */
export const changedFiles = (folder: string): string => path.join(folder, CHANGED_FILES);

/** While a change set is put together: the folder of the site's rows, see `writeRows`. */
export const rowsFolder = (staging: string): string => path.join(staging, 'rows');

/** While a change set is put together: records that were read from the published site, for the cache. */
export const readFolder = (staging: string): string => path.join(staging, 'read');

/** Stores the record files that are read, so that the unchanged ones can be added to the cache. */
export function recordsReader(staging: string, beforeWrite: () => void = () => {}) {
  const folder = readFolder(staging);
  return (name: string, bytes: Uint8Array): void => {
    if (name === TIMES) return;
    beforeWrite();
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, name), bytes);
  };
}

/**
 * Checks whether a folder may be replaced by a change set: one that is missing, one with nothing in
 * it, or a change set. Files that a user added to its bytes are copies for one deploy, so they may go.
 *
 * @param output free of symbolic links, see `resolveLinks`.
 * @throws {ConfigError} there is something else in it.
 */
export function checkChangesFolder(output: string): void {
  const notOurs = (what: string, why: string): ConfigError =>
    new ConfigError({
      code: 'output-not-ours',
      what,
      why,
      fix: 'Name a folder of its own with --output, best one that does not exist yet; --whole makes a whole site.',
    });
  const status = statSync(output, { throwIfNoEntry: false });
  if (!status) return;
  if (!status.isDirectory()) {
    throw notOurs(`${output} is no folder.`, 'Something else has that name.');
  }
  const names = entriesOf(output)
    .map(({ name }) => name)
    .filter((name) => !SYSTEM_FILES.has(name));
  if (names.length === 0) return;
  const files = lstatSync(changedFiles(output), { throwIfNoEntry: false });
  const others = names.filter((name) => name !== CHANGES && name !== CHANGED_FILES);
  const isOurs =
    existsSync(path.join(output, CHANGES)) && isChangesFile(path.join(output, CHANGES));
  if (isOurs && others.length === 0 && (!files || files.isDirectory())) return;
  throw notOurs(
    `${output} holds what belongs to no change set: ${some(isOurs && others.length > 0 ? others : names)}.`,
    'With --thin a build leaves only what changed, replaces the whole folder, and that would be lost.',
  );
}
