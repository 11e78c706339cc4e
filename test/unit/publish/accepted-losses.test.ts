import { expect, it } from 'vitest';
import type { AppError } from '../../../src/errors.ts';
import { checkAcceptedLosses } from '../../../src/publish/options/accepted-losses.ts';

const dealers = [
  { id: 7001, slug: 'northgate' },
  { id: 7002, slug: 'southgate' },
];

it.each([
  ['northgat@0123456789ab', 'no dealer', 'mean --accept-loss northgate@0123456789ab?'],
  ['7002@0123456789ab', 'no dealer', 'mean --accept-loss southgate@0123456789ab?'],
  ['elsewhere@0123456789ab', 'no dealer', 'of the build that held the loss.'],
  ['northgate', 'needs "@"', 'Copy the whole value'],
  ['northgate@01234', '12 characters', 'Copy the whole value'],
  ['', 'no dealer', 'Copy the whole value'],
])('--accept-loss %j is an error', (value, why, fix) => {
  const check = () => checkAcceptedLosses(['northgate@0123456789ab', value], { dealers });
  expect(check).toThrow(expect.objectContaining({ code: 'argument-accept-loss', exitCode: 2 }));
  try {
    check();
  } catch (error) {
    expect((error as AppError).why).toContain(why);
    expect((error as AppError).fix).toContain(fix);
  }
});

it('values of known dealers are accepted', () => {
  expect(() => checkAcceptedLosses(['southgate@0123456789ab'], { dealers })).not.toThrow();
});
