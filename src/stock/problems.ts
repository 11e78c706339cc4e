import { countText, firstOf } from '../lib/terminal/count-text.ts';

/** Examples that a problem shows. */
const EXAMPLES = 3;
/** Longest example. */
const LONGEST = 60;

/** Collects problems of rows and cells of a stock list, with the first examples of each kind. */
export class Problems {
  readonly #kinds = new Map<string, { about: (count: number) => string; examples: string[] }>();

  /** @param about the problem of so many rows or cells, in words. */
  add(kind: string, about: (count: number) => string, example: string): void {
    const known = this.#kinds.get(kind) ?? { about, examples: [] };
    known.examples.push(example);
    this.#kinds.set(kind, known);
  }

  /** A cell that cannot be read as `wanted`, such as `a year`. */
  cell(heading: string, wanted: string, { cell, line }: { cell: string; line: number }): void {
    const short = cell.length > LONGEST ? `${cell.slice(0, LONGEST - 1)}…` : cell;
    const about = (count: number) =>
      `"${heading}": ${countText(count, 'value')} ${count === 1 ? 'is' : 'are'} not ${wanted}`;
    this.add(`${heading} ${wanted}`, about, `"${short}" (row ${line})`);
  }

  get count(): number {
    return [...this.#kinds.values()].reduce((sum, { examples }) => sum + examples.length, 0);
  }

  texts(): string[] {
    return Array.from(
      this.#kinds.values(),
      ({ about, examples }) => `${about(examples.length)}: ${firstOf(examples, EXAMPLES)}`,
    );
  }
}
