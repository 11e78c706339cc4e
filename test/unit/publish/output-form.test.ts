import { describe, expect, it } from 'vitest';
import { chooseForm, type FormRequest } from '../../../src/publish/options/output-form.ts';

const wishes = (some: Partial<FormRequest>): FormRequest => ({
  deployTo: undefined,
  inCi: true,
  whole: false,
  thin: false,
  ...some,
});

describe('the form of the output', () => {
  it.each<[Partial<FormRequest>, 'thin' | 'whole', reason: string | undefined]>([
    [{}, 'whole', undefined],
    [{ deployTo: 'none' }, 'whole', undefined],
    [{ deployTo: 'nowhere' }, 'whole', undefined],
    [{ deployTo: 'github' }, 'whole', undefined],
    [{ deployTo: 'gitlab' }, 'whole', undefined],
    [{ deployTo: 'cloudflare' }, 'whole', undefined],
    [{ deployTo: 'netlify' }, 'thin', '--whole'],
    [{ deployTo: 'cloudflare-workers' }, 'thin', '--whole'],
    [{ deployTo: 's3' }, 'thin', '--whole'],
    [{ deployTo: 'folder' }, 'thin', '--whole'],
    [{ deployTo: 'netlify', inCi: false }, 'whole', '--thin'],
    [{ deployTo: 'netlify', whole: true }, 'whole', undefined],
    [{ deployTo: 'github', thin: true }, 'thin', undefined],
    [{ thin: true, inCi: false }, 'thin', undefined],
  ])('%j: %s', (some, form, reason) => {
    const { why, ...chosen } = chooseForm(wishes(some));
    expect(chosen.form).toBe(form);
    if (reason === undefined) expect(why).toBeUndefined();
    else expect(why).toContain(reason);
  });

  it('cannot be full and thin', () => {
    const both = wishes({ whole: true, thin: true });
    expect(() => chooseForm(both)).toThrow(expect.objectContaining({ code: 'argument-form' }));
  });
});
