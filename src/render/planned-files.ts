import { GateError, printable } from '../errors.ts';
import { isSafeFile } from '../lib/files/safe-file.ts';

export interface PlannedPath {
  /** Path below the output folder, without a slash at the start. */
  file: string;
  /** What it is, for people: `vehicle "AB12 CDE" of Northgate Cars`. */
  what: string;
}

/**
 * Files whose paths are the same where letter case does not count (macOS, Windows): one would
 * overwrite the other there.
 */
export function* collisions(files: Iterable<PlannedPath>): Iterable<[PlannedPath, PlannedPath]> {
  const seen = new Map<string, PlannedPath>();
  for (const planned of files) {
    const key = planned.file.toLowerCase();
    const former = seen.get(key);
    if (former) yield [former, planned];
    else seen.set(key, planned);
  }
}

/**
 * Looks at every page that is going to be written, before anything is.
 *
 * @throws {GateError} a page would be written outside the output folder, or two to one place.
 */
export function checkPlannedFiles(files: Iterable<PlannedPath>): void {
  const safe = function* (): Iterable<PlannedPath> {
    for (const planned of files) {
      if (!isSafeFile(planned.file)) throw unsafe(planned);
      yield planned;
    }
  };
  for (const [first, second] of collisions(safe())) {
    throw new GateError({
      code: 'address-collision',
      what: `${printable(first.what)} and ${printable(second.what)} would have the same page address.`,
      why: `${first.file} and ${second.file} are one file where letter case does not count.`,
      fix: 'Have one of the two registration marks corrected in the service, or give a custom page another permalink.',
    });
  }
}

const unsafe = ({ file, what }: PlannedPath): GateError =>
  new GateError({
    code: 'address-unsafe',
    what: `The page of ${printable(what)} would be written to ${printable(file)}.`,
    why: 'Only plain names below the output folder are written.',
    fix: 'This is a fault of the rule for page addresses; report it with the registration mark.',
  });
