/** Recognises standard values of facts in any language, and translates them. */
import { inRegion } from '../config/region.ts';
import { plainLatin } from '../lib/latin.ts';
import de from './values/de.json' with { type: 'json' };
import en from './values/en.json' with { type: 'json' };
import es from './values/es.json' with { type: 'json' };
import fr from './values/fr.json' with { type: 'json' };
import it from './values/it.json' with { type: 'json' };
import nl from './values/nl.json' with { type: 'json' };
import pl from './values/pl.json' with { type: 'json' };

/** Facts that have standard values. */
export type ValuedFact = keyof typeof en;

/** Spellings of each value. The first is its name. */
type Spellings = Readonly<Record<ValuedFact, Readonly<Record<string, readonly string[]>>>>;

const LANGUAGES: Readonly<Record<string, Spellings>> = { en, de, es, fr, it, nl, pl };

/** Languages with compound words for colours, such as `Burgunderrot`. */
const COMPOUNDING = ['de', 'nl'];

const languageOf = (locale: string): string => new Intl.Locale(locale).language;

/** The words of a text in lower case and without accents. */
const wordsOf = (text: string): string[] => plainLatin(text).match(/[\p{L}\p{N}]+/gu) ?? [];

const indices = new Map<string, ReadonlyMap<string, string>>();

/** The values of a fact in a language, by spelling without spaces. */
function spellingsOf(fact: ValuedFact, language: string): ReadonlyMap<string, string> {
  const name = `${fact} ${language}`;
  let index = indices.get(name);
  if (!index) {
    const values = Object.entries(LANGUAGES[language]?.[fact] ?? {});
    index = new Map(
      values.flatMap(([key, texts]) => texts.map((text) => [wordsOf(text).join(''), key])),
    );
    indices.set(name, index);
  }
  return index;
}

const likely = new Map<string, readonly string[]>();

/** The possible languages of a list with this locale. The first is the language of the locale. */
function languagesOf(locale: string): readonly string[] {
  let languages = likely.get(locale);
  if (!languages) {
    languages = [...new Set([languageOf(locale), 'en', ...Object.keys(LANGUAGES)])];
    likely.set(locale, languages);
  }
  return languages;
}

interface StandardValue {
  /** The value, such as `plugin-hybrid`. */
  key: string;
  /** Whether the text has no other words. "6-speed manual" is not exact. */
  exact: boolean;
}

/**
 * The standard value of a cell. If a text has other words, uses the longest spelling in it, or the last if several are
 * equally long: "Petrol plug-in hybrid", "Black Sapphire Metallic".
 *
 * @param locale locale of the list: "Van" means different bodies in English and German.
 */
export function standardValue(
  fact: ValuedFact,
  text: string,
  locale: string,
): StandardValue | undefined {
  const words = wordsOf(text);
  const languages = languagesOf(locale);
  for (let length = words.length; length > 0; length--) {
    for (let at = words.length - length; at >= 0; at--) {
      const spelling = words.slice(at, at + length).join('');
      for (const language of languages) {
        const key = spellingsOf(fact, language).get(spelling);
        if (key !== undefined) return { key, exact: length === words.length };
      }
    }
  }
  const [language = ''] = languages;
  if (fact !== 'colour' || !COMPOUNDING.includes(language)) return undefined;
  const [match] = [...spellingsOf(fact, language)].filter(([spelling]) =>
    words.some((word) => word.endsWith(spelling)),
  );
  return match && { key: match[1], exact: false };
}

/** Names of a value in a language and in English, then its other spellings in both. */
export function namesOf(fact: ValuedFact, key: string, locale: string): string[] {
  const [localNames = [], english = []] = [languageOf(locale), 'en'].map(
    (language) => LANGUAGES[language]?.[fact][key] ?? [],
  );
  const regional = localNames.slice(0, 1).map((name) => inRegion(name, locale));
  return [...new Set([...regional, ...english.slice(0, 1), ...localNames, ...english])];
}

/** The text of a cell on a page, and its standard value. */
interface ShownValue {
  text: string;
  key: string | undefined;
}

const shown = new Map<string, ShownValue>();

function toShown(fact: ValuedFact, text: string, from: string, to: string): ShownValue {
  const { key, exact = false } = standardValue(fact, text, from) ?? {};
  const [name, ...others] = (key && exact && LANGUAGES[languageOf(to)]?.[fact][key]) || [];
  if (name === undefined) return { text, key };
  const spelling = wordsOf(text).join('');
  const isTranslated = [name, ...others].some((entry) => wordsOf(entry).join('') === spelling);
  return { text: isTranslated ? text : inRegion(name, to), key };
}

/**
 * Translates a cell to the language of a page. A text that is not a standard value, or already a spelling in that
 * language, stays unchanged. Each text is translated once, because vehicles share few texts.
 */
export function shownValue(
  fact: ValuedFact,
  text: string,
  { from, to }: { from: string; to: string },
): ShownValue {
  const id = [fact, from, to, text].join('\n');
  const value = shown.get(id) ?? toShown(fact, text, from, to);
  shown.set(id, value);
  return value;
}
