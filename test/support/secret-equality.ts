import { expect } from 'vitest';
import { Secret } from '../../src/config/secret.ts';

// The value of a secret is private, so `toEqual` would take any two secrets for equal.
expect.addEqualityTesters([
  (a, b) => (a instanceof Secret && b instanceof Secret ? a.reveal() === b.reveal() : undefined),
]);
