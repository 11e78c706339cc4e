/** Standard values of facts, as dealers write them in any language, and their names in each. */
import de from './values/de.json' with { type: 'json' };
import en from './values/en.json' with { type: 'json' };
import es from './values/es.json' with { type: 'json' };
import fr from './values/fr.json' with { type: 'json' };
import it from './values/it.json' with { type: 'json' };
import nl from './values/nl.json' with { type: 'json' };
import pl from './values/pl.json' with { type: 'json' };

/** Facts that have standard values. */
export type ValuedFact = keyof typeof en;

/** Spellings of each value, the first of which is its name. */
type Spellings = Readonly<Record<ValuedFact, Readonly<Record<string, readonly string[]>>>>;

const LANGUAGES: Readonly<Record<string, Spellings>> = { en, de, es, fr, it, nl, pl };

/** Languages that write a colour as one word with its description, such as `Burgunderrot`. */
const COMPOUNDING = ['de', 'nl'];

const languageOf = (locale: string): string => new Intl.Locale(locale).language;

/** Words of a text without case and accents. */
const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll('ł', 'l')
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const indices = new Map<string, ReadonlyMap<string, string>>();

/** The values of a fact in a language, by spelling as one word. */
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

/** The languages in which a list of this locale may be written, the likeliest first. */
const likely = (locale: string): Set<string> =>
  new Set([languageOf(locale), 'en', ...Object.keys(LANGUAGES)]);

export interface StandardValue {
  /** Such as `plugin-hybrid`. */
  key: string;
  /** Whether the text is a spelling of it, and not one with more words, such as "6-speed manual". */
  exact: boolean;
}

/**
 * The standard value of a cell. Of a text with more words, the longest spelling in it counts, and of two the
 * later one: "Petrol plug-in hybrid", "Black Sapphire Metallic".
 *
 * @param locale of the list: "Van" is another body in English than in German.
 */
export function standardValue(
  fact: ValuedFact,
  text: string,
  locale: string,
): StandardValue | undefined {
  const words = wordsOf(text);
  const languages = [...likely(locale)];
  for (let length = words.length; length > 0; length--) {
    for (let at = words.length - length; at >= 0; at--) {
      const spelling = words.slice(at, at + length).join('');
      for (const language of languages) {
        const key = spellingsOf(fact, language).get(spelling);
        if (key !== undefined) return { key, exact: length === words.length };
      }
    }
  }
  const language = languageOf(locale);
  if (fact !== 'colour' || !COMPOUNDING.includes(language)) return undefined;
  const [found] = [...spellingsOf(fact, language)].filter(([spelling]) =>
    words.some((word) => word.endsWith(spelling)),
  );
  return found && { key: found[1], exact: false };
}

/** Names of a value in a language and in English, then all their other spellings. */
export function namesOf(fact: ValuedFact, key: string, locale: string): string[] {
  const [own = [], english = []] = [languageOf(locale), 'en'].map(
    (language) => LANGUAGES[language]?.[fact][key] ?? [],
  );
  return [...new Set([...own.slice(0, 1), ...english.slice(0, 1), ...own, ...english])];
}

/**
 * A cell in the language of a page. A text that is a spelling in it already, or no standard value, is shown as
 * the dealer wrote it.
 */
export function translated(
  fact: ValuedFact,
  text: string,
  { from, to }: { from: string; to: string },
): string {
  const value = standardValue(fact, text, from);
  if (!value?.exact) return text;
  const [name, ...others] = LANGUAGES[languageOf(to)]?.[fact][value.key] ?? [];
  if (name === undefined) return text;
  const written = wordsOf(text).join('');
  const isOurs = [name, ...others].some((one) => wordsOf(one).join('') === written);
  return isOurs ? text : name;
}
