import { expect, it } from 'vitest';
import { checkAcceptedLosses } from '../../../src/publish/options/accepted-losses.ts';

const GOOD = 'northgate@0123456789ab';

it.each([
  ['northgat@0123456789ab', 'has no dealer with the slug "northgat". Did you mean northgate?'],
  ['elsewhere@0123456789ab', 'has no dealer with the slug "elsewhere".'],
  ['northgate', 'needs "@"'],
  ['northgate@01234', '12 characters'],
  ['', 'has no dealer with the slug "".'],
])('--accept-loss %j is an error', (value, why) => {
  expect(() => checkAcceptedLosses([GOOD, value], { dealers: [{ slug: 'northgate' }] })).toThrow(
    expect.objectContaining({
      code: 'argument-accept-loss',
      exitCode: 2,
      why: expect.stringContaining(why),
    }),
  );
});
