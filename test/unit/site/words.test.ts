import { describe, expect, it } from 'vitest';
import { en, LANGUAGES, wordsFor } from '../../../src/site/i18n/index.ts';
import { textsFor } from '../../../src/site/i18n/text.ts';
import { shownValue } from '../../../src/stock/values.ts';

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

describe.each(Object.entries(LANGUAGES))('texts in %s', (language, words) => {
  it('have exactly the keys of English', () => {
    expect(Object.keys(words).sort()).toEqual(Object.keys(en).sort());
  });

  it('have every plural form of the language and no empty text', () => {
    const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories.sort();
    for (const [key, value] of Object.entries(words)) {
      if (typeof value === 'string') expect(value.trim(), key).not.toBe('');
      else expect(Object.keys(value).sort(), key).toEqual(categories);
    }
  });

  it('have the visible text of the call button in its name, for voice control', () => {
    expect(words.call.toLowerCase()).toContain(words.callShort.toLowerCase());
  });

  it('have no article before the day of the next opening, which is empty today', () => {
    expect(words.opensAt).not.toMatch(/\b(the|am|den|le|el|il) \{day\}/);
  });

  it('mark used vehicles that just arrived with another word than new vehicles', () => {
    expect(words.isNew).not.toBe(words.conditionNew);
  });

  it('use the same placeholders', () => {
    for (const [key, english] of Object.entries(en)) {
      const other = words[key as keyof typeof en];
      if (typeof english === 'string') {
        expect(placeholders(String(other)), key).toEqual(placeholders(english));
      } else {
        for (const form of Object.values(other)) expect(placeholders(form), key).toEqual(['{n}']);
      }
    }
  });
});

it('French punctuation and guillemets never begin or end a line without their word', () => {
  expect(JSON.stringify(LANGUAGES.fr)).not.toMatch(/ [:;?!»]|« /);
});

/** Words that other languages share with English. */
const SHARED =
  /^(?:whatsapp|website|email|videoTitle|videos?|sort|zoom|pages?|privacy|dealer|model|filter|frontDescription)$/;

it.each(Object.keys(LANGUAGES).filter((language) => language !== 'en'))(
  'texts in %s are written in that language',
  (language) => {
    const words = LANGUAGES[language] ?? en;
    const same = Object.keys(en).filter(
      (key) =>
        JSON.stringify(words[key as keyof typeof en]) ===
        JSON.stringify(en[key as keyof typeof en]),
    );
    expect(same.filter((key) => !SHARED.test(key))).toEqual([]);
    const fuel = shownValue('fuel', 'Petrol', { from: 'en', to: language }).text;
    expect(fuel, 'add it to src/stock/values.ts').not.toBe('Petrol');
  },
);

describe('texts of a locale', () => {
  it('German nouns after "von" would need another form than the counted vehicles', () => {
    const { words } = textsFor('de-DE', 'Europe/Berlin');
    const counted = Object.values(words).filter((text) => /von \{vehicles\}/.test(String(text)));
    expect(counted).toEqual([]);
  });

  it('have pence only if there are any', () => {
    expect(textsFor('en-GB', 'UTC').price(14995.5, 'GBP')).toBe('£14,995.50');
  });

  it('use the spelling of the region', () => {
    const german = (locale: string) => wordsFor(locale, LANGUAGES).words;
    expect(german('de-AT').close).toBe('Schließen');
    expect(JSON.stringify(german('de-CH'))).not.toContain('ß');
    expect(german('de-CH').fuel).toBe('Treibstoff');
    expect(german('de-CH').foundInstead).toContain('«{typed}»');
    expect(wordsFor('nl-BE', LANGUAGES).words.plate).toBe('Nummerplaat');
    const { colour, plate, transmission } = wordsFor('en-US', LANGUAGES).words;
    expect([colour, plate, transmission]).toEqual(['Color', 'License plate', 'Transmission']);
    expect(wordsFor('en-GB', LANGUAGES).words).toEqual(en);
    const theme = { ...LANGUAGES, en: { ...en, plate: 'Number plate or VIN' } };
    expect(wordsFor('en-US', theme).words.plate).toBe('Number plate or VIN');
  });

  it.each([
    ['en-GB', 'GBP', 'mi', '2 March 2026', '£14,995', '1,235 photos', '21,000 miles'],
    ['de-DE', 'EUR', 'km', '2. März 2026', '14.995 €', '1.235 Bilder', '21.000 km'],
    ['fr-FR', 'EUR', 'km', '2 mars 2026', '14 995 €', '1 235 photos', '21 000 km'],
    ['es-ES', 'EUR', 'km', '2 de marzo de 2026', '14.995 €', '1235 fotos', '21.000 km'],
    ['it-IT', 'EUR', 'km', '2 marzo 2026', '14.995 €', '1235 foto', '21.000 km'],
    ['nl-NL', 'EUR', 'km', '2 maart 2026', '€ 14.995', '1.235 foto’s', '21.000 km'],
    ['pl-PL', 'PLN', 'km', '2 marca 2026', '14 995 zł', '1235 zdjęć', '21 000 km'],
  ] as const)('use the conventions of %s', (locale, currency, unit, day, cost, photos, far) => {
    const { words, count, date, price, distance, lang } = textsFor(locale, 'Europe/Paris');
    expect(lang).toBe(locale);
    const plain = (text: string) => text.replace(/\s/g, ' ');
    expect(plain(date('2026-03-01T23:30:00Z'))).toBe(day);
    expect(plain(price(14995, currency))).toBe(cost);
    expect(plain(count(words.pictures, 1235))).toBe(photos);
    expect(plain(distance(21000, unit))).toBe(far);
    expect(distance(21000, unit)).not.toContain('\u202fkm');
  });

  it.each(['fi-FI', 'ar-EG', 'xx-YY'])(
    'format dates and numbers in English if the texts are English: %s',
    (locale) => {
      const { words, lang, date, number, price, distance } = textsFor(locale, 'Europe/Paris');
      expect(words).toEqual(en);
      expect(lang).toBe('en');
      expect(date('2026-03-01T23:30:00Z')).toBe('2 March 2026');
      expect(number(12345)).toBe('12,345');
      expect(price(14995, 'EUR')).toBe('€14,995');
      expect(distance(21000, 'km')).toMatch(/^21,000\skm$/);
    },
  );
});
