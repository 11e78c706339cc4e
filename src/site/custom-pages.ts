import type { DealerContext, SiteContext } from './views/context.ts';
import { onlyAt } from './views/site-url.ts';
import type { CustomPageView } from './views/view.ts';

/** The data of a custom page. */
export interface CustomPage {
  /** Path below the URL of the site, such as `/about/`. */
  url: string;
  title?: string;
  description?: string;
  /** Slug of the dealer whose colour, name and logo the page has. Default: colour, name and logo of the site. */
  dealer?: string;
  /** Whether the page is in the sitemap. If not, search engines are asked not to list it. */
  sitemap?: boolean;
}

/** The view of a custom page, in the frame of the site or of one dealer. */
export function customPageView(
  { url, title, description, dealer: slug, sitemap }: CustomPage,
  context: SiteContext,
  dealers: readonly DealerContext[],
): CustomPageView {
  const dealer = dealers.find(({ link }) => link.slug === slug);
  // While Eleventy looks for the data that a page uses, it passes empty texts.
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

/** Whether search engines may list a page. */
export const isListed = (html: string): boolean =>
  !/<meta\s+name="robots"\s+content="[^"]*noindex/i.test(html);
