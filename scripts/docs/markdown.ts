/** Markdown as on GitHub: the same anchors, links to other pages, tables that scroll. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import GithubSlugger from 'github-slugger';
import MarkdownIt from 'markdown-it';
import { SECTIONS, urlOf } from './sections.ts';

const PAGES = new Set(SECTIONS.flatMap(({ pages }) => pages));

/** The relative path from a page to the root of the site. */
export const rootOf = (page: string): string => '../'.repeat(urlOf(page).split('/').length - 1);

/**
 * The link from one page to another page, a schema or a picture. Undefined for other files of the repository,
 * which the site does not have. @throws Error for a missing file
 */
function linkFrom(page: string, href: string): string | undefined {
  if (/^(?:[a-z]+:|#)/.test(href)) return href;
  const [file = '', anchor] = href.split('#');
  const target = path.posix.join(path.posix.dirname(page), file);
  if (!existsSync(target))
    throw new Error(`${page}.md has a link to ${href}, which does not exist.`);
  const name = target.replace(/\.md$/, '');
  const fragment = anchor ? `#${anchor}` : '';
  if (PAGES.has(name)) return `${rootOf(page) || './'}${urlOf(name)}${fragment}`;
  const asset = /^docs\/((?:schema|images)\/.+)/.exec(target)?.[1];
  return asset && rootOf(page) + asset;
}

export function createMarkdown(): MarkdownIt {
  const markdown = new MarkdownIt({ html: true });
  markdown.core.ruler.push('pages', ({ tokens, env }) => {
    const page = String(env.page.inputPath).replace(/^\.\//, '').replace(/\.md$/, '');
    const slugger = new GithubSlugger();
    tokens.forEach((token, at) => {
      const [heading] = token.type === 'heading_open' ? (tokens[at + 1]?.children ?? []) : [];
      if (heading) token.attrSet('id', slugger.slug(textOf(tokens[at + 1]?.children ?? [])));
      for (const child of token.children ?? []) {
        const attribute = { link_open: 'href', image: 'src' }[child.type];
        const value = attribute && child.attrGet(attribute);
        if (!attribute || value == null) continue;
        const link = linkFrom(page, value);
        if (link !== undefined) child.attrSet(attribute, link);
        else child.attrs = [];
      }
    });
  });
  // Code and tables scroll horizontally, also by keyboard.
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (...args) =>
    fence?.(...args).replace('<pre>', '<pre tabindex="0">') ?? '';
  markdown.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>';
  markdown.renderer.rules.table_close = () => '</table></div>';
  return markdown;
}

const textOf = (tokens: { type: string; content: string }[]): string =>
  tokens
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('');
