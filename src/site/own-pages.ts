import type { DealerContext, SiteContext } from './context.ts';
import type { OwnPage } from './extend.ts';
import { pageAt } from './place.ts';
import type { OwnPageView } from './view.ts';

/** The view of a page of the dealer's own, in the frame of the site or of one dealer. */
export function ownPageView(
  page: OwnPage,
  context: SiteContext,
  dealers: readonly DealerContext[],
): OwnPageView {
  const { place, assets, title, policy } = context;
  const dealer = dealers.find(({ link }) => link.slug === page.dealer);
  const name = dealer?.link.name ?? title;
  return {
    ...pageAt(place, page.path),
    template: page.template,
    title: page.title === name ? name : `${page.title} – ${name}`,
    heading: page.title,
    description: page.description,
    noindex: page.sitemap === false,
    policy: policy([]),
    css: dealer?.css ?? assets.styles(),
    scripts: [],
    masthead: dealer
      ? { name, url: dealer.link.url, logo: dealer.logo }
      : { name, url: `${place.base}/`, logo: undefined },
    alternates: [],
    share: undefined,
    jsonLd: '',
    data: (page.data ?? {}) as Record<string, unknown>,
  };
}
