import type { LegalPage } from '../../config/site-schema.ts';
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
  { place, title: site, texts, frame }: SiteContext,
): LegalView {
  const heading = title ?? texts.words[page];
  return {
    ...frame,
    ...onlyAt(place, `/${page}/`),
    title: `${heading} – ${site}`,
    description: `${heading} – ${site}`,
    heading,
    html,
  };
}
