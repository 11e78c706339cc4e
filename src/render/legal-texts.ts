import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import { LEGAL_PAGES, type LegalPage } from '../config/site-schema.ts';
import { ConfigError } from '../errors.ts';
import { userText } from '../lib/files/read.ts';
import { reasonOf } from '../lib/files/system-errors.ts';
import type { LegalText, LegalTexts } from '../site/views/site-pages.ts';
import type { Attempt } from './attempt.ts';

async function readText(page: LegalPage, name: string, config: string): Promise<LegalText> {
  const legalError = (why: string, cause?: unknown) =>
    new ConfigError({
      code: 'legal-file-unusable',
      what: `The text ${name} of site.legal.${page} cannot be used.`,
      why,
      fix: `Check site.legal.${page}. A relative path counts from the configuration file.`,
      cause,
    });
  const bytes = await readFile(path.resolve(path.dirname(config), name)).catch((cause: Error) => {
    throw legalError(reasonOf(cause), cause);
  });
  // Loads the Markdown parser only if it is needed.
  const { legalText } = await import('./legal-text.ts');
  const content = legalText(userText(bytes, name));
  if (content.html !== '') return content;
  throw legalError('It has no text, or only a title: its page would be empty.');
}

/** The files of `site.legal`, absolute. */
export const legalFiles = ({ site, file }: Pick<LoadedConfig, 'site' | 'file'>): string[] =>
  LEGAL_PAGES.flatMap((page) => {
    const name = site.legal[page];
    return name === undefined ? [] : [path.resolve(path.dirname(file), name)];
  });

/**
 * The texts of `site.legal`, by page.
 *
 * @throws {ConfigError} a text is missing, empty or not UTF-8. Pages of all dealers link to it.
 */
export async function readLegalTexts(
  { site, file }: Pick<LoadedConfig, 'site' | 'file'>,
  attempt: Attempt,
): Promise<LegalTexts> {
  const texts: { -readonly [P in keyof LegalTexts]: LegalTexts[P] } = {};
  for (const page of LEGAL_PAGES) {
    const name = site.legal[page];
    const text = name === undefined ? undefined : await attempt(() => readText(page, name, file));
    if (text) texts[page] = text;
  }
  return texts;
}
