import path from 'node:path';

/** The full path, below the output folder, of an entry in a page's `uses`. */
export const lengthen = (file: string, used: string): string =>
  used.startsWith('./') ? `${path.posix.dirname(file)}/${used.slice(2)}` : used;

/** Stores each set of linked files once, because most pages of a dealer link to the same files. */
export class SharedUses {
  readonly #sets = new Map<string, readonly string[]>();

  /**
   * The links of a page. Links into its folder begin with a dot, so that similar pages share them, see
   * {@link lengthen}.
   */
  of(file: string, targets: readonly string[]): readonly string[] {
    const folder = `${path.posix.dirname(file)}/`;
    const text = [...new Set(targets)]
      .map((used) => (used.startsWith(folder) ? `./${used.slice(folder.length)}` : used))
      .sort()
      .join('\n');
    const sharedSet = this.#sets.get(text);
    if (sharedSet) return sharedSet;
    const set = text === '' ? [] : text.split('\n');
    this.#sets.set(text, set);
    return set;
  }
}
