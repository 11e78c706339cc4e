import { GateError, printable } from '../errors.ts';
import { isSafeFile } from '../lib/files/safe-file.ts';

export interface PlannedPath {
  /** Path below the output folder, without a slash at the start. */
  file: string;
  /** A name for messages: `vehicle "AB12 CDE" of Northgate Cars`. */
  what: string;
}

/**
 * Checks the paths of all pages before any is written.
 *
 * @throws {GateError} a page would be written outside the output folder, or two pages to one path. Letter case does
 *   not count, because on macOS and Windows one would overwrite the other.
 */
export function checkPlannedFiles(files: Iterable<PlannedPath>): void {
  const byPath = new Map<string, PlannedPath>();
  for (const planned of files) {
    const { file, what } = planned;
    if (!isSafeFile(file)) {
      throw new GateError({
        code: 'address-unsafe',
        what: `The page of ${printable(what)} would be written to ${printable(file)}.`,
        why: 'Only plain names below the output folder are written.',
        fix: 'This is a bug in the rule for page addresses. Report it with the number plate.',
      });
    }
    const key = file.toLowerCase();
    const other = byPath.get(key);
    if (other) {
      throw new GateError({
        code: 'address-collision',
        what: `${printable(other.what)} and ${printable(what)} would have the same page address.`,
        why: `${other.file} and ${file} are one file on disks that ignore letter case.`,
        fix: 'Have one of the two number plates corrected in the service, or give a custom page another permalink.',
      });
    }
    byPath.set(key, planned);
  }
}
