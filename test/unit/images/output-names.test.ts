import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputNames } from '../../../src/images/output-names.ts';

const hash = fc.constantFrom('a'.repeat(20), `ab${'0'.repeat(18)}`, '0123456789abcdef0123');
const end = fc.constantFrom('-320-aaaaaa.webp', '-320-bbbbbb.webp', '-1280-aaaaaa.webp');
const name = fc.tuple(hash, end).map(([of, rest]) => `${of.slice(0, 2)}/${of.slice(2)}${rest}`);
const change = fc.record({ kind: fc.constantFrom('add', 'delete'), name });

describe('OutputNames', () => {
  it('equals a set of the same names after any changes', () => {
    fc.assert(
      fc.property(fc.array(change), name, hash, fc.array(end), (changes, asked, of, ends) => {
        const names = new OutputNames();
        const set = new Set<string>();
        for (const { kind, name: one } of changes) {
          if (kind === 'add') {
            names.add(one);
            set.add(one);
          } else {
            names.delete(one);
            set.delete(one);
          }
        }
        expect(names.size).toBe(set.size);
        expect([...names].sort()).toEqual([...set].sort());
        expect(names.has(asked)).toBe(set.has(asked));
        const all = ends.map((rest) => `${of.slice(0, 2)}/${of.slice(2)}${rest}`);
        expect(names.hasAll(of, ends)).toBe(all.every((one) => set.has(one)));
        const stem = `${of.slice(0, 2)}/${of.slice(2)}`;
        expect(
          names
            .suffixesOf(of)
            .map((rest) => stem + rest)
            .sort(),
        ).toEqual([...set].filter((one) => one.startsWith(stem)).sort());
        const [one, ...others] = set;
        expect([...names.without(new OutputNames(others))]).toEqual(one === undefined ? [] : [one]);
        expect([...names.without(names)]).toEqual([]);
        expect([...new OutputNames(set)].sort()).toEqual([...set].sort());
      }),
    );
  });
});
