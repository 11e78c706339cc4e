import { expect, it } from 'vitest';
import { chooseForm } from '../../../src/publish/options/output-form.ts';

type Request = Partial<Parameters<typeof chooseForm>[0]>;
const chosen = (some: Request) =>
  chooseForm({ deployTo: undefined, inCi: true, whole: false, thin: false, ...some });

const WHOLE = { form: 'whole' };
it.each<[Request, object]>([
  [{}, WHOLE],
  ...['none', 'nowhere', 'github', 'gitlab', 'cloudflare'].map((deployTo): [Request, object] => [
    { deployTo },
    WHOLE,
  ]),
  ...['netlify', 'cloudflare-workers', 's3', 'folder'].map((deployTo): [Request, object] => [
    { deployTo },
    { form: 'thin', why: expect.stringContaining('--whole') },
  ]),
  [
    { deployTo: 'netlify', inCi: false },
    { ...WHOLE, why: expect.stringContaining('--thin') },
  ],
  [{ deployTo: 'netlify', whole: true }, WHOLE],
  [{ deployTo: 'github', thin: true }, { form: 'thin' }],
  [{ thin: true, inCi: false }, { form: 'thin' }],
])('the form of the output for %j: %j', (some, expected) => {
  expect(chosen(some)).toEqual(expected);
});

it('the output cannot be full and thin', () => {
  const both = { whole: true, thin: true };
  expect(() => chosen(both)).toThrow(expect.objectContaining({ code: 'argument-form' }));
});
