import { describe, expect, it } from 'vitest';
import { IS_ACTIVE, withMutants } from '../../mutation/mutants.ts';

const namesOf = (text: string) => withMutants('a.ts', text, 0).mutants.map(({ name }) => name);

/** What a function of numbers gives with each of its mutants, and without. */
function results(text: string, ...given: unknown[]): unknown[] {
  const { mutants, text: all } = withMutants('a.ts', text, 1);
  const make = new Function(IS_ACTIVE, `return ${all}`);
  return [0, ...mutants.map(({ id }) => id)].map((active) =>
    make((id: number) => id === active)(...given),
  );
}

describe('mutants', () => {
  it.each([
    ['x = a < b', ['a < b → (a) <= (b)', 'a < b → (a) >= (b)']],
    ['x = a ?? b', ['a ?? b → (a) && (b)']],
    ["x = 'a' + b", ["'a' → ''"]],
    ['x = a?.b(c)', ['a?.b(c) → a.b(c)']],
    ['x = list.sort(f)', ['list.sort(f) → list']],
    ['x = list.toString()', []],
    ['x = /^a$/', ['/^a$/ → /a$/', '/^a$/ → /^a/']],
    ["import x from 'y'", []],
    ["type A = 'b'", []],
    [
      "throw new FooError({ what: 'words', code: 'c' })",
      ["{ what: 'words', code: 'c' } → {}", "'c' → ''"],
    ],
    ["z.string().describe('words')", []],
  ])('of %s', (text, names) => {
    expect(namesOf(text)).toEqual(names);
  });

  it('of equal parts have numbers', () => {
    expect(namesOf("f('a', 'a')")).toEqual(["'a' → ''", "'a' → '' (2)"]);
  });

  it('do nothing until they are active, and then just what their names say', () => {
    expect(results('(a, b) => { if (a) return b; return 0; }', 1, 5)).toEqual([5, undefined, 5, 0]);
    expect(results('(a, b) => (a > 1 ? a - b : -a)', 3, 1)).toEqual([
      2,
      undefined,
      2,
      -3,
      2,
      -3,
      4,
      2,
    ]);
  });
});
