import path from 'node:path';

/** Shortens links into the page's own folder to begin with a dot, so that pages of one kind share them. */
const shorten = (file: string, used: string): string => {
  const folder = `${path.posix.dirname(file)}/`;
  return used.startsWith(folder) ? `./${used.slice(folder.length)}` : used;
};

/** The file that one of a page's `uses` names, below the output folder. */
export const lengthen = (file: string, used: string): string =>
  used.startsWith('./') ? `${path.posix.dirname(file)}/${used.slice(2)}` : used;

/** Stores each set of linked files once, because most pages of a dealer link to the same files. */
export class SharedUses {
  readonly #sets = new Map<string, readonly string[]>();

  /** The shortened links of a page: see {@link lengthen}. */
  of(file: string, targets: readonly string[]): readonly string[] {
    const text = [...new Set(targets)]
      .map((used) => shorten(file, used))
      .sort()
      .join('\n');
    const known = this.#sets.get(text);
    if (known) return known;
    const set = text === '' ? [] : text.split('\n');
    this.#sets.set(text, set);
    return set;
  }
}
