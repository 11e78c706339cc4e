import { describe, expect, it } from 'vitest';
import * as errors from '../../src/errors.ts';

describe('describeError', () => {
  it('marks an unexpected error as a bug', () => {
    expect(errors.describeError(new TypeError('oops'))).toContain('a bug');
    expect(errors.describeError('text')).toContain('text');
  });
});

it('exit codes never change', () => {
  expect(errors.EXIT).toEqual({
    published: 0,
    internal: 1,
    config: 2,
    refused: 3,
    unreachable: 4,
    gate: 5,
    secret: 6,
    hole: 7,
    attention: 8,
  });
  const codeOf = (Kind: typeof errors.AppError) => new Kind({ code: 'c', what: 'w' }).exitCode;
  expect(
    [
      errors.ConfigError,
      errors.RefusedError,
      errors.UnreachableError,
      errors.GateError,
      errors.SecretFoundError,
      errors.AppError,
    ].map(codeOf),
  ).toEqual([2, 3, 4, 5, 6, 1]);
});
