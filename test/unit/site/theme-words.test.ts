import { describe, expect, it } from 'vitest';
import { en } from '../../../src/site/i18n/index.ts';
import { textsFor } from '../../../src/site/i18n/text.ts';
import { withThemeWords } from '../../../src/site/i18n/theme-words.ts';

describe('texts of a theme', () => {
  it('override the built-in ones, including single plural forms', () => {
    const { languages, problems } = withThemeWords({
      en: { share: 'Tell a friend', vehicles: { one: '{n} car' } },
    });
    expect(problems).toEqual([]);
    const { words, count } = textsFor('en-GB', 'UTC', languages);
    expect(words.share).toBe('Tell a friend');
    expect([count(words.vehicles, 1), count(words.vehicles, 2)]).toEqual(['1 car', '2 vehicles']);
    expect(words.copy).toBe(en.copy);
    expect(languages.de?.share).toBe('Teilen');
  });

  it('may add a complete language', () => {
    const { languages, problems } = withThemeWords({ is: { ...en, share: 'Deila' } });
    expect(problems).toEqual([]);
    expect(textsFor('is-IS', 'UTC', languages)).toMatchObject({
      lang: 'is-IS',
      words: { share: 'Deila' },
    });
  });

  it.each([
    [{ en: { shair: 'x' } }, 'en.shair', /not a text of the site/],
    [{ en: { share: '' } }, 'en.share', /./],
    [{ en: { vehicles: 'cars' } }, 'en.vehicles', /: needs its plural forms/],
    [
      { en: { call: 'Ring {fone}' } },
      'en.call',
      /\{fone\}, which is not a placeholder of this text; there is \{phone\}/,
    ],
    [{ en: { vehicles: { few: '{n}' } } }, 'en.vehicles.few', /one, other/],
    [{ is: { share: 'Deila' } }, 'is', /all texts are needed; missing: [a-z]/],
    [{ cs: { ...en } }, 'cs', /missing: vehicles\.few, pictures\.few, /],
    [{ xx: {} }, 'xx', /not a language/],
    [{ en_GB: {} }, 'en_GB', /not a language/],
    [{ 'is-IS': { ...en } }, 'is-IS', /never used; write "is"/],
    [{ EN: { share: 'Send' } }, 'EN', /never used; write "en"/],
    ['text', '(the whole file)', /./],
  ])('%j is refused', (content, where, message) => {
    const { problems } = withThemeWords(content);
    expect(problems.find((problem) => problem.startsWith(`${where}: `))).toMatch(message);
  });
});
