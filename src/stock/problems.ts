import { cut } from '../lib/cut.ts';
import { countText, firstOf } from '../lib/terminal/count-text.ts';

/** Maximum number of examples of a problem. */
const EXAMPLES = 3;
/** Maximum length of an example. */
const LONGEST = 60;

interface Problem {
  /** The text for one row or cell, without the number. */
  one: string;
  /** The text for several. */
  several: string;
  /** The column, if all cells are in one. */
  heading?: string;
}

/** Collects problems of rows and cells of a stock list, with examples of each. */
export class Problems {
  readonly #examples = new Map<string, Problem & { examples: string[] }>();

  /** @param text follows the noun, or its plural: `without a number plate`. */
  add(noun: string, text: string, example: string): void {
    this.#add({ one: `${noun} ${text}`, several: `${noun}s ${text}` }, example);
  }

  #add(problem: Problem, example: string): void {
    const key = JSON.stringify(problem);
    const entry = this.#examples.get(key) ?? { ...problem, examples: [] };
    entry.examples.push(example);
    this.#examples.set(key, entry);
  }

  /** Adds a cell that is not the expected value, such as `a year`. */
  cell(heading: string, expected: string, { cell, line }: { cell: string; line: number }): void {
    const one = `value is not ${expected}`;
    const several = `values are not ${expected}`;
    this.#add({ one, several, heading }, `"${cut(cell, LONGEST)}" (row ${line})`);
  }

  get count(): number {
    return [...this.#examples.values()].reduce((sum, { examples }) => sum + examples.length, 0);
  }

  texts(): string[] {
    return Array.from(this.#examples.values(), ({ one, several, heading, examples }) => {
      const column = heading === undefined ? '' : `"${heading}": `;
      return `${column}${countText(examples.length, one, several)}: ${firstOf(examples, EXAMPLES)}`;
    });
  }
}
