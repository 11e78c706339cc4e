import { GateError, printable } from '../errors.ts';
import { isSafeFile } from '../lib/files/safe-file.ts';

/** The paths of planned files. Each is checked before its file is written. */
export class PlannedPaths {
  /** Descriptions of files by path in lower case. */
  readonly #byPath = new Map<string, string>();

  /**
   * @param file path below the output folder, beginning with a slash.
   * @param name for messages: `the custom page /about/index.html`.
   * @throws {GateError} it would be written outside the output folder, or to the path of another file. Letter case
   *   does not count, because on macOS and Windows one would overwrite the other.
   */
  add(file: string, name = file): void {
    if (!file.startsWith('/') || !isSafeFile(file.slice(1))) {
      throw new GateError({
        code: 'address-unsafe',
        what: `${printable(name)} would not be written below the output folder.`,
        why: 'Only plain names below it are written.',
        fix: 'This is a bug in the rule for page addresses. Report it with the number plate.',
      });
    }
    const key = file.toLowerCase();
    const other = this.#byPath.get(key);
    if (other !== undefined) {
      throw new GateError({
        code: 'address-collision',
        what: `${printable(other)} and ${printable(name)} have the same address.`,
        why: 'One would replace the other. Letter case does not count, because some disks ignore it.',
        fix: 'Give the custom page another permalink.',
      });
    }
    this.#byPath.set(key, name);
  }
}
