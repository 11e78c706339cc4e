import { z } from 'zod';
import { didYouMean } from '../../lib/closest.ts';
import { PLAIN } from '../../lib/plain-issue.ts';
import { type Catalogues, en, LANGUAGES, type Words } from './index.ts';

type Text = Words[keyof Words];

const text = z.string().trim().min(1);
const forms = z
  .strictObject(
    { zero: text, one: text, two: text, few: text, many: text, other: text },
    {
      error: ({ code }) =>
        code === 'invalid_type' ? 'needs its plural forms, such as "one" and "other"' : undefined,
    },
  )
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

/** `words.json` of a theme: its replacements for words, by language. */
export const themeWordsSchema = z
  .object({ $schema: z.string().optional().describe('Address of the JSON Schema, for editors.') })
  .catchall(languageSchema);

const placeholders = (value: string): string[] =>
  [...value.matchAll(/\{\w+\}/g)].map(([placeholder]) => placeholder);

/** The texts of a word: one, or its plural forms. */
const textsOf = (value: Text): string[] =>
  typeof value === 'string' ? [value] : Object.values(value);

function checkWord(path: string, value: Text, english: Text, categories: string[]): string[] {
  const names = new Set(textsOf(english).flatMap(placeholders));
  const hint = names.size > 0 ? `; there is ${[...names].join(', ')}` : '';
  const unknown = textsOf(value)
    .flatMap(placeholders)
    .filter((name) => !names.has(name));
  const unknownForms =
    typeof value === 'string'
      ? []
      : Object.keys(value).filter((form) => !categories.includes(form));
  return [
    ...unknown.map(
      (name) => `${path}: has ${name}, which is not a placeholder of this text${hint}`,
    ),
    ...unknownForms.map(
      (form) =>
        `${path}.${form}: is not a plural form of this language; it has ${categories.join(', ')}`,
    ),
  ];
}

/** Whether a tag is a language with known plural forms, so that a theme can have words for it. */
export function isLanguage(tag: string): boolean {
  try {
    return Intl.PluralRules.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

function checkLanguage(
  language: string,
  replacements: Record<string, Text | undefined>,
  shipped: Words | undefined,
): string[] {
  if (!isLanguage(language)) {
    return [`${language}: is not a language; use a subtag such as "en" or "fr"`];
  }
  const subtag = new Intl.Locale(language).language;
  if (subtag !== language) {
    return [`${language}: is never used; write "${subtag}", without a region`];
  }
  const rules = new Intl.PluralRules(language);
  const categories = rules.resolvedOptions().pluralCategories;
  const problems = Object.entries(replacements).flatMap(([key, value]) =>
    value === undefined
      ? []
      : checkWord(`${language}.${key}`, value, en[key as keyof Words], categories),
  );
  if (shipped) return problems;
  // The plural forms of counts. Other forms are for fractions or millions.
  const forms = new Set(['other', ...Array.from({ length: 101 }, (_, n) => rules.select(n))]);
  const missing = Object.entries(en).flatMap(([key, english]) => {
    const value = replacements[key];
    if (value === undefined) return [key];
    if (typeof english === 'string') return [];
    return [...forms].filter((form) => !(form in Object(value))).map((form) => `${key}.${form}`);
  });
  if (missing.length > 0) {
    problems.push(
      `${language}: is not built in, so all texts are needed; missing: ${missing.join(', ')}`,
    );
  }
  return problems;
}

const reportIssue = (issue: z.core.$ZodIssue): string[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map(
        (key) =>
          `${[...issue.path, key].join('.')}: is not a text of the site; docs/view-models.md lists them all.${didYouMean(key, Object.keys(en))}`,
      )
    : [`${issue.path.join('.') || '(the whole file)'}: ${issue.message}`];

function mergeWords(
  shipped: Words | undefined,
  replacements: Record<string, Text | undefined>,
): Words {
  const words: Record<string, Text | undefined> = { ...shipped };
  for (const [key, after] of Object.entries(replacements)) {
    const before = words[key];
    const isForms = typeof after === 'object' && typeof before === 'object';
    words[key] = isForms ? { ...before, ...after } : after;
  }
  return words as Words;
}

/**
 * The shipped languages, with the replacements of a theme. Other languages must be complete. All problems are
 * reported at once, each with its path, such as `en.search: …`.
 */
export function withThemeWords(content: unknown): { languages: Catalogues; problems: string[] } {
  const parsed = themeWordsSchema.safeParse(content, PLAIN);
  if (!parsed.success) {
    return { languages: LANGUAGES, problems: parsed.error.issues.flatMap(reportIssue) };
  }
  const { $schema: _, ...wordsByLanguage } = parsed.data;
  const languages: Record<string, Words> = { ...LANGUAGES };
  const problems: string[] = [];
  for (const [language, words] of Object.entries(wordsByLanguage)) {
    const replacements = words as Record<string, Text | undefined>;
    problems.push(...checkLanguage(language, replacements, LANGUAGES[language]));
    languages[language] = mergeWords(LANGUAGES[language], replacements);
  }
  return { languages, problems };
}
