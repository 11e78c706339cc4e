import MarkdownIt from 'markdown-it';
import type { LegalText } from '../site/views/site-pages.ts';

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
