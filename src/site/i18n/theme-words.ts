import { z } from 'zod';
import { didYouMean } from '../../lib/closest.ts';
import { en, LANGUAGES, type Words } from './index.ts';

type Text = Words[keyof Words];

const text = z.string().trim().min(1);
const forms = z
  .strictObject({ zero: text, one: text, two: text, few: text, many: text, other: text })
  .partial();

const languageSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(en).map(([key, english]) => [
      key,
      typeof english === 'string'
        ? text.optional().describe(english)
        : forms.optional().describe(`${english.one} / ${english.other}`),
    ]),
  ),
);

/** `words.json` of a theme: by language, the words that it replaces. */
export const themeWordsSchema = z
  .object({ $schema: z.string().optional().describe('Address of the JSON Schema, for editors.') })
  .catchall(languageSchema);

export type Catalogues = Readonly<Record<string, Words>>;

export interface WordsProblem {
  /** Such as `en.search`. The language alone for problems of all its words. */
  path: string;
  message: string;
}

const placeholders = (value: string): string[] =>
  [...value.matchAll(/\{\w+\}/g)].map(([whole]) => whole);

/** The texts of a word: one, or its plural forms. */
const textsOf = (value: Text): string[] =>
  typeof value === 'string' ? [value] : Object.values(value);

function checkWord(path: string, value: Text, english: Text, categories: string[]): WordsProblem[] {
  const known = new Set(textsOf(english).flatMap(placeholders));
  const problems = textsOf(value)
    .flatMap(placeholders)
    .filter((name) => !known.has(name))
    .map((name) => ({
      path,
      message: `has ${name}, which nothing fills in${known.size > 0 ? `; there is ${[...known].join(', ')}` : ''}`,
    }));
  if (typeof value === 'string') return problems;
  const strange = Object.keys(value).filter((form) => !categories.includes(form));
  return [
    ...problems,
    ...strange.map((form) => ({
      path: `${path}.${form}`,
      message: `is no plural form of this language; it has ${categories.join(', ')}`,
    })),
  ];
}

/** Whether a tag is of a language whose plural forms are known, so that a theme can give its words. */
export function isLanguage(tag: string): boolean {
  try {
    return Intl.PluralRules.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

function checkLanguage(
  language: string,
  given: Record<string, Text | undefined>,
  shipped: Words | undefined,
): WordsProblem[] {
  if (!isLanguage(language)) {
    return [{ path: language, message: 'is no language; use a subtag such as "en" or "fr"' }];
  }
  const subtag = new Intl.Locale(language).language;
  if (subtag !== language) {
    return [{ path: language, message: `is never used; write "${subtag}", without a region` }];
  }
  const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  const problems = Object.entries(given).flatMap(([key, value]) =>
    value === undefined
      ? []
      : checkWord(`${language}.${key}`, value, en[key as keyof Words], categories),
  );
  if (shipped) return problems;
  const missing = Object.entries(en).flatMap(([key, english]) => {
    const value = given[key];
    if (value === undefined) return [key];
    return typeof english === 'string' || 'other' in Object(value) ? [] : [`${key}.other`];
  });
  if (missing.length === 0) return problems;
  return [
    ...problems,
    {
      path: language,
      message: `is not shipped, so every word is needed; missing: ${missing.join(', ')}`,
    },
  ];
}

const reportIssue = (issue: z.core.$ZodIssue): WordsProblem[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({
        path: [...issue.path, key].join('.'),
        message: `is not a text of the site; docs/view-models.md lists them all.${didYouMean(key, Object.keys(en))}`,
      }))
    : [{ path: issue.path.join('.') || '(the whole file)', message: issue.message }];

function merged(shipped: Words | undefined, given: Record<string, Text | undefined>): Words {
  const words: Record<string, Text | undefined> = { ...shipped };
  for (const [key, after] of Object.entries(given)) {
    const before = words[key];
    const isForms = typeof after === 'object' && typeof before === 'object';
    words[key] = isForms ? { ...before, ...after } : after;
  }
  return words as Words;
}

/**
 * The shipped languages, with words replaced by those of a theme. A language that is not shipped has
 * to be complete. All problems are reported at once.
 */
export function withThemeWords(
  content: unknown,
  shipped: Catalogues = LANGUAGES,
): { languages: Catalogues; problems: WordsProblem[] } {
  const parsed = themeWordsSchema.safeParse(content);
  if (!parsed.success) {
    return { languages: shipped, problems: parsed.error.issues.flatMap(reportIssue) };
  }
  const { $schema: _, ...given } = parsed.data;
  const languages: Record<string, Words> = { ...shipped };
  const problems: WordsProblem[] = [];
  for (const [language, words] of Object.entries(given)) {
    const typed = words as Record<string, Text | undefined>;
    problems.push(...checkLanguage(language, typed, shipped[language]));
    languages[language] = merged(shipped[language], typed);
  }
  return { languages, problems };
}
