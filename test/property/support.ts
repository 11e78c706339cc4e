import fc from 'fast-check';
import { TEXTS } from '../hostile/corpus/texts.ts';

/** Runs of each rule. Every run of the tests has other values. */
export const RUNS = { numRuns: 5000 } as const;

const attacks = TEXTS.map(([, text]) => text);

/** Any text: letters, any code units (including lone surrogates), joined attacks. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 })
    .map((units) => String.fromCharCode(...units)),
  fc
    .array(fc.oneof(fc.constantFrom(...attacks), fc.string({ maxLength: 5 })), { maxLength: 4 })
    .map((parts) => parts.join('')),
);
