import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { SecretSearch } from '../../../src/config/secret-search.ts';

const key = fc.oneof(
  fc.string({ minLength: 6, maxLength: 40 }),
  fc.string({ minLength: 6, maxLength: 12, unit: fc.constantFrom('a', 'b') }),
  fc.string({ minLength: 6, maxLength: 12, unit: 'grapheme' }),
);

const isIn = (secrets: readonly Secret[], text: string): boolean =>
  SecretSearch.of(secrets).isIn(Buffer.from(text));

describe('the search for all keys at once', () => {
  it('finds every spelling of each of 200 keys at any position', () => {
    const secrets = Array.from({ length: 200 }, (_, n) => new Secret(`Key-${n}-é${n * 7919}+/x`));
    const search = SecretSearch.of(secrets);
    for (const form of secrets.flatMap((secret) => secret.forms())) {
      for (const text of [form, `${form}.`, `<a href="${form}">`, `${'x'.repeat(999)}${form}`]) {
        expect(search.isIn(Buffer.from(text)), form).toBe(true);
      }
    }
  });

  it('finds the same as separate searches', () => {
    fc.assert(
      fc.property(
        fc.array(key, { maxLength: 5 }),
        fc.array(fc.oneof(fc.string(), key, fc.nat(20)), { maxLength: 8 }),
        (keys, parts) => {
          const secrets = keys.map((value) => new Secret(value));
          const forms = secrets.flatMap((secret) => secret.forms());
          // Numbers represent spellings, complete or without their last letter.
          const text = parts
            .map((part) => {
              if (typeof part === 'string') return part;
              const form = forms[part % Math.max(1, forms.length)] ?? '';
              return part % 2 === 0 ? form : form.slice(0, -1);
            })
            .join('');
          const bytes = Buffer.from(text);
          expect(isIn(secrets, text)).toBe(forms.some((form) => bytes.includes(form)));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('finds nothing without a key or with keys that look like text', () => {
    expect(isIn([], 'anything')).toBe(false);
    expect(isIn([new Secret('abc')], 'abc abc')).toBe(false);
    expect(isIn([new Secret('abcdefgh')], '')).toBe(false);
    expect(isIn([new Secret('abcdefgh')], 'abcdefg')).toBe(false);
  });
});

describe('the fingerprint of the searched keys', () => {
  const firstSecret = new Secret('first-key-0123456789');
  const secondSecret = new Secret('other-key-0123456789');

  it('is the same for the same keys in any order and number', () => {
    const mark = SecretSearch.of([firstSecret, secondSecret]).mark('salt');
    expect(SecretSearch.of([secondSecret, firstSecret, firstSecret]).mark('salt')).toBe(mark);
  });

  it('differs with every key and salt, and contains no key', () => {
    const mark = SecretSearch.of([firstSecret, secondSecret]).mark('salt');
    expect(SecretSearch.of([firstSecret]).mark('salt')).not.toBe(mark);
    expect(SecretSearch.of([firstSecret, secondSecret]).mark('pepper')).not.toBe(mark);
    for (const form of [...firstSecret.forms(), ...secondSecret.forms()])
      expect(mark).not.toContain(form);
  });
});
