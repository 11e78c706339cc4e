import { de } from './de.ts';
import { en, type Words } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';

/** Every language that is shipped, by its language subtag. */
export const LANGUAGES: Readonly<Record<string, Words>> = { en, de, es, fr, it, nl, pl };

/** Whether there are words for a locale; without them, pages are in English. */
export function hasWords(
  locale: string,
  languages: Readonly<Record<string, Words>> = LANGUAGES,
): boolean {
  return Object.hasOwn(languages, new Intl.Locale(locale).language);
}

/**
 * The words for a locale, and the tag for `<html lang>`: where a language is not shipped the words
 * are English, and the page says so.
 */
export function wordsFor(
  locale: string,
  languages: Readonly<Record<string, Words>> = LANGUAGES,
): { words: Words; lang: string } {
  const words = languages[new Intl.Locale(locale).language];
  return words ? { words, lang: locale } : { words: languages.en ?? en, lang: 'en' };
}
