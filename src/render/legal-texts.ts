import { readFile } from 'node:fs/promises';
import path from 'node:path';
import MarkdownIt from 'markdown-it';
import type { LoadedConfig } from '../config/load.ts';
import { LEGAL_PAGES, type LegalPage } from '../config/site-schema.ts';
import { ConfigError } from '../errors.ts';
import { reasonOf } from '../lib/files/system-errors.ts';
import type { LegalText, LegalTexts } from '../site/views/site-pages.ts';

type Token = ReturnType<MarkdownIt['parse']>[number];

/** Links may lead to pages, e-mail addresses, phone numbers, and paths of this site. */
const LINK = /^(?:https?:\/\/|mailto:|tel:|[#/.\w?][^:]*$)/i;

/** Markdown without HTML and pictures, as the policy of pages requires. */
const markdown = new MarkdownIt({ html: false, linkify: true });
markdown.disable('image');
markdown.validateLink = (address) => LINK.test(address.trim());
markdown.linkify.set({ fuzzyLink: false });

/** Moves headings below the heading of the page, without gaps between levels. Removes styles of cells. */
function adjust(tokens: readonly Token[]): void {
  const open: number[] = [];
  for (const token of tokens) {
    // The alignment of a table's columns is written as a style, which no page allows.
    token.attrs &&= token.attrs.filter(([name]) => name !== 'style');
    if (token.type !== 'heading_open' && token.type !== 'heading_close') continue;
    const level = Number(token.tag.slice(1));
    if (token.type === 'heading_open') {
      while ((open.at(-1) ?? 0) >= level) open.pop();
      open.push(level);
    }
    token.tag = `h${Math.min(6, open.length + 1)}`;
  }
}

/** The title and the HTML of a Markdown text. */
export function legalText(text: string): LegalText {
  const tokens = markdown.parse(text, {});
  const [first, title] = tokens;
  const hasTitle = first?.type === 'heading_open' && first.tag === 'h1';
  const rest = hasTitle ? tokens.slice(3) : tokens;
  adjust(rest);
  const plain = (title?.children ?? []).map(({ content }) => content).join('');
  return {
    title: hasTitle && plain.trim() !== '' ? plain.trim() : undefined,
    html: markdown.renderer.render(rest, markdown.options, {}).trim(),
  };
}

/** Whether a reader would see any text. */
const hasText = (html: string): boolean => html.replace(/<[^>]*>/g, '').trim() !== '';

async function readText(page: LegalPage, name: string, config: string): Promise<LegalText> {
  const legalError = (code: string, why: string, cause?: unknown) =>
    new ConfigError({
      code,
      what: `The text ${name} of site.legal.${page} cannot be used.`,
      why,
      fix: `Check site.legal.${page}. A relative path counts from the configuration file. The text must be Markdown in UTF-8.`,
      cause,
    });
  const bytes = await readFile(path.resolve(path.dirname(config), name)).catch((cause: Error) => {
    throw legalError('legal-file-unreadable', reasonOf(cause), cause);
  });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw legalError('legal-file-encoding', 'It is not in UTF-8.', cause);
  }
  const content = legalText(text);
  if (!hasText(content.html)) {
    throw legalError(
      'legal-file-empty',
      'It has no text, or only a title: its page would be empty.',
    );
  }
  return content;
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
export async function readLegalTexts({
  site,
  file,
}: Pick<LoadedConfig, 'site' | 'file'>): Promise<LegalTexts> {
  const texts: { -readonly [P in keyof LegalTexts]: LegalTexts[P] } = {};
  for (const page of LEGAL_PAGES) {
    const name = site.legal[page];
    if (name !== undefined) texts[page] = await readText(page, name, file);
  }
  return texts;
}
