import type { DealerContext, SiteContext } from './views/context.ts';
import { isSameLanguage } from './views/footer.ts';
import { onlyAt } from './views/site-url.ts';
import type { CustomPageView } from './views/view.ts';

export interface CustomPage {
  /** Path below the URL of the site, such as `/about/`. */
  url: string;
  title?: string;
  description?: string;
  /** Language of the page, one of the site's, such as `fr`. Default: the first language. */
  lang?: string;
  /** Slug of the dealer whose colour, name and logo the page has. Default: colour, name and logo of the site. */
  dealer?: string;
  /** Whether the page is in the sitemap. If not, search engines are asked not to list it. */
  sitemap?: boolean;
}

interface Language {
  context: SiteContext;
  /** The dealers. */
  contexts: readonly DealerContext[];
}

/**
 * The view of a custom page, in the frame of the site or of one dealer.
 *
 * @param languages the first language of the site first.
 * @throws {Error} the site does not have the language or the dealer.
 */
export function customPageView(
  { url, title, description, lang, dealer: slug, sitemap }: CustomPage,
  languages: readonly [Language, ...Language[]],
): CustomPageView {
  // While Eleventy looks for the data that a page uses, it passes empty texts.
  const language = lang
    ? languages.find(({ context }) => isSameLanguage(context.texts.lang, lang))
    : languages[0];
  if (!language)
    throw new Error(`The site is not in the language ${lang}: add it to site.locales.`);
  const { context, contexts } = language;
  const dealer = contexts.find(({ link }) => link.slug === slug);
  if (slug && !dealer) throw new Error(`No dealer has the slug ${slug}.`);
  const name = dealer?.link.name ?? context.title;
  return {
    ...(dealer ?? context).frame,
    ...onlyAt(context.place, url),
    title: title === undefined || title === name ? name : `${title} – ${name}`,
    heading: title ?? name,
    description: description ?? name,
    noindex: sitemap === false,
  };
}

/** Whether search engines may list a page. Plugins that minify pages sort attributes and remove quotation marks. */
export const isListed = (html: string): boolean =>
  !/<meta\s(?=[^>]*\bname=["']?robots\b)[^>]*\bnoindex\b/i.test(html);
