import path from 'node:path';

/** Shortens links into the page's folder to begin with a dot, so that similar pages share them. */
const shorten = (file: string, used: string): string => {
  const folder = `${path.posix.dirname(file)}/`;
  return used.startsWith(folder) ? `./${used.slice(folder.length)}` : used;
};

/** The full path, below the output folder, of an entry in a page's `uses`. */
export const lengthen = (file: string, used: string): string =>
  used.startsWith('./') ? `${path.posix.dirname(file)}/${used.slice(2)}` : used;

/** Stores each set of linked files once, because most pages of a dealer link to the same files. */
export class SharedUses {
  readonly #sets = new Map<string, readonly string[]>();

  /** The shortened links of a page, see {@link lengthen}. */
  of(file: string, targets: readonly string[]): readonly string[] {
    const text = [...new Set(targets)]
      .map((used) => shorten(file, used))
      .sort()
      .join('\n');
    const sharedSet = this.#sets.get(text);
    if (sharedSet) return sharedSet;
    const set = text === '' ? [] : text.split('\n');
    this.#sets.set(text, set);
    return set;
  }
}
