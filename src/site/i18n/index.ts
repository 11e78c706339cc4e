import { inRegion } from '../../config/region.ts';
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import it from './it.json' with { type: 'json' };
import nl from './nl.json' with { type: 'json' };
import pl from './pl.json' with { type: 'json' };

export { en };

/**
 * The texts of a language, for templates and scripts: the keys of `en.json`. Plural forms are keyed by the
 * categories of `Intl.PluralRules`. `{name}` is replaced by a value.
 */
export type Words = {
  [K in keyof typeof en]: (typeof en)[K] extends string
    ? string
    : Record<string, string> & { other: string };
};

/** Words by language subtag. */
export type Catalogues = Readonly<Record<string, Words>>;

/** Every language that is shipped. */
export const LANGUAGES: Catalogues = { en, de, es, fr, it, nl, pl };

/** Whether there are words for a locale. Without them, pages are in English. */
export const hasWords = (locale: string, languages: Catalogues): boolean =>
  Object.hasOwn(languages, new Intl.Locale(locale).language);

/**
 * The words for a locale, and the tag for `<html lang>`. Both are English if there are no words in the language.
 */
export function wordsFor(locale: string, languages: Catalogues): { words: Words; lang: string } {
  const { language } = new Intl.Locale(locale);
  const words = languages[language];
  if (!words) return { words: languages.en ?? en, lang: 'en' };
  const builtIn: Readonly<Record<string, unknown>> = LANGUAGES[language] ?? {};
  // The texts of a theme are the dealer's decision.
  const regional = Object.entries(words).map(([key, text]) => [
    key,
    typeof text === 'string' && text === builtIn[key] ? inRegion(text, locale) : text,
  ]);
  return { words: Object.fromEntries(regional), lang: locale };
}
