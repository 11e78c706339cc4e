import { countText, firstOf } from '../lib/terminal/count-text.ts';

/** Maximum number of examples of a problem. */
const EXAMPLES = 3;
/** Maximum length of an example. */
const LONGEST = 60;

/** Collects problems of rows and cells of a stock list, with examples of each kind. */
export class Problems {
  readonly #kinds = new Map<string, { describe: (count: number) => string; examples: string[] }>();

  /** @param describe returns the text for a number of rows or cells. */
  add(kind: string, describe: (count: number) => string, example: string): void {
    const entry = this.#kinds.get(kind) ?? { describe, examples: [] };
    entry.examples.push(example);
    this.#kinds.set(kind, entry);
  }

  /** Adds a cell that is not the expected value, such as `a year`. */
  cell(heading: string, expected: string, { cell, line }: { cell: string; line: number }): void {
    const shortCell = cell.length > LONGEST ? `${cell.slice(0, LONGEST - 1)}…` : cell;
    const describe = (count: number) =>
      `"${heading}": ${countText(count, 'value')} ${count === 1 ? 'is' : 'are'} not ${expected}`;
    this.add(`${heading} ${expected}`, describe, `"${shortCell}" (row ${line})`);
  }

  get count(): number {
    return [...this.#kinds.values()].reduce((sum, { examples }) => sum + examples.length, 0);
  }

  texts(): string[] {
    return Array.from(
      this.#kinds.values(),
      ({ describe, examples }) => `${describe(examples.length)}: ${firstOf(examples, EXAMPLES)}`,
    );
  }
}
