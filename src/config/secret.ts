import { inspect } from 'node:util';

/**
 * A value that must not be printed. Printing, string conversion and JSON all give `[secret]`; only
 * `reveal()` gives the value, so `git grep reveal` lists every place that uses one.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}
