/** The pages of a site without a dealer: not found, saved vehicles, and legal texts. */
import { type LegalPage, SAVED_PAGE } from '../../config/site-schema.ts';
import { escapeHtml } from '../../lib/html.ts';
import type { SiteContext } from './context.ts';
import type { CardView, LegalView, NewestView, SavedView } from './list-types.ts';
import { onlyAt, pageAt } from './site-url.ts';

/** The page that servers send with status 404. */
export function notFoundView(
  cards: readonly CardView[],
  { texts, place, title, frame, assets }: SiteContext,
): NewestView {
  const url = `${place.root}/404.html`;
  return {
    ...frame,
    // Hosts send this page for missing pages in all languages.
    languages: pageAt(place, '/').languages,
    url,
    file: '/404.html',
    canonical: `${place.origin}${url}`,
    title: `${texts.words.notFoundTitle} – ${title}`,
    description: texts.words.notFoundText,
    noindex: true,
    cards: [...cards],
    // In a frame of another website it shows one line, and reports that the page is missing.
    scripts: [...frame.scripts, assets.script('frame.js')],
  };
}

/** Path of the page of saved vehicles, below the URL of the site. */
export const SAVED_ADDRESS = `/${SAVED_PAGE}/`;

/** The page of saved vehicles, which a script fills in the visitor's browser. */
export function savedView(
  cards: readonly CardView[],
  { place, title, texts, frame, assets }: SiteContext,
): SavedView {
  const { words } = texts;
  return {
    ...frame,
    ...pageAt(place, SAVED_ADDRESS),
    title: `${words.saved} – ${title}`,
    description: words.savedNote,
    noindex: true,
    heading: words.saved,
    cards: [...cards],
    script: assets.script('compare.js'),
  };
}

/** A text of `site.legal`. */
export interface LegalText {
  /** The heading of the text. Undefined if it has none. */
  title: string | undefined;
  /** The rest as safe HTML. */
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
  // The site stores saved vehicles in the browser of the visitor.
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
