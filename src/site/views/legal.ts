import type { LegalPage } from '../../config/site-schema.ts';
import { escapeHtml } from '../../lib/html.ts';
import type { SiteContext } from './context.ts';
import { onlyAt } from './site-url.ts';
import type { LegalView } from './site-wide-view.ts';

/** A text of `site.legal`. */
export interface LegalText {
  /** Its own heading; undefined where it has none. */
  title: string | undefined;
  /** The rest as markup that is safe to be written into a page. */
  html: string;
}

export type LegalTexts = Readonly<Partial<Record<LegalPage, LegalText>>>;

/** The page of a text, at an address that is the same in every language. */
export function legalView(
  page: LegalPage,
  { title, html }: LegalText,
  { place, title: site, texts, frame, favourites }: SiteContext,
): LegalView {
  const heading = title ?? texts.words[page];
  // What the site itself keeps, in the browser of the visitor.
  const note = `<p>${escapeHtml(texts.words.savedNote)}</p>`;
  return {
    ...frame,
    ...onlyAt(place, `/${page}/`),
    title: `${heading} – ${site}`,
    description: `${heading} – ${site}`,
    heading,
    html: page === 'privacy' && favourites ? html + note : html,
  };
}
