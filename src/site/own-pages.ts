import type { OwnPage } from './extend.ts';
import type { DealerContext, SiteContext } from './views/context.ts';
import { onlyAt } from './views/site-url.ts';
import type { OwnPageView } from './views/site-wide-view.ts';

/** The view of a page that an extension adds, in the frame of the site or of one dealer. */
export function ownPageView(
  page: OwnPage,
  context: SiteContext,
  dealers: readonly DealerContext[],
): OwnPageView {
  const dealer = dealers.find(({ link }) => link.slug === page.dealer);
  const name = dealer?.link.name ?? context.title;
  return {
    ...(dealer ?? context).frame,
    ...onlyAt(context.place, page.path),
    template: page.template,
    title: page.title === name ? name : `${page.title} – ${name}`,
    heading: page.title,
    description: page.description,
    noindex: page.sitemap === false,
    data: (page.data ?? {}) as Record<string, unknown>,
  };
}
