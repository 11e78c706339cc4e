import type { SiteContext } from './context.ts';
import type { PageView } from './view.ts';

/** The page that servers give for what is not there. */
export function notFoundView({ texts, assets, place, title, policy }: SiteContext): PageView {
  const home = `${place.base}/`;
  return {
    url: `${place.base}/404.html`,
    file: '/404.html',
    canonical: `${place.origin}${place.base}/404.html`,
    title: `${texts.words.notFoundTitle} – ${title}`,
    description: texts.words.notFoundText,
    noindex: true,
    policy: policy([]),
    css: assets.styles(),
    scripts: [],
    masthead: { name: title, url: home, logo: undefined },
    alternates: [],
    share: undefined,
    jsonLd: '',
  };
}
