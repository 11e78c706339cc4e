import type { LoadedConfig } from '../../config/load.ts';
import { openedSources } from '../../config/opened-sources.ts';
import { LEGAL_PAGES } from '../../config/site-schema.ts';
import { indexNowKey } from '../documents/index-now.ts';
import { mediaJsonSchemas } from '../documents/media-json.ts';
import { netlifyForms } from '../documents/netlify-forms.ts';
import { headersFile } from '../documents/policy.ts';
import { siteSitemaps } from '../documents/sitemap.ts';
import type { OwnPage, PagesInput } from '../extend.ts';
import type { DealerContext, SiteContext } from '../views/context.ts';
import { frontView, makeHubViews } from '../views/front-view.ts';
import { type LegalTexts, legalView, notFoundView, savedView } from '../views/site-pages.ts';
import { onlyAt, pageAt } from '../views/site-url.ts';
import type { DealerSummary } from '../views/summaries.ts';
import type { GeneratedFile, OwnPageView, PageView, SiteView } from '../views/view.ts';
import type { DealerPlan } from './dealer-plan.ts';
import { keyOf, type PlannedPage, type PlanPart } from './planned.ts';

/** The finished view models of a site. */
export type SiteViews = Omit<PagesInput<unknown>, 'data'>;

/** What an extension adds: its data, and its pages once the other views are made. */
export interface ExtensionInput {
  data: Record<string, unknown>;
  pages(input: SiteViews): readonly OwnPage[];
}

/** What the pages and files about all dealers are made from, besides the dealers' summaries. */
export interface SiteWideInput {
  config: LoadedConfig;
  legal: LegalTexts | undefined;
  extension: ExtensionInput | undefined;
  context: SiteContext;
  /** In each further language. */
  translated: readonly SiteContext[];
  contexts: readonly DealerContext[];
  site: SiteView;
}

/** The views of all dealers and vehicles. */
export const viewsOf = (site: SiteView, dealers: readonly DealerPlan[]): SiteViews => ({
  site,
  dealers: dealers.map((dealer) => dealer.list()),
  vehicles: dealers.flatMap(({ vehicles }) =>
    vehicles.flatMap((vehicle) => (vehicle.withdrawn ? [] : [vehicle.view()])),
  ),
});

/** The view of a page that an extension adds, in the frame of the site or of one dealer. */
function ownPageView(
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

/** Pages of an extension, which gets the views of all vehicles, so all of them are made. */
function ownPages(
  { extension, site, context, contexts }: SiteWideInput,
  plans: () => DealerPlan[],
) {
  if (!extension) return [];
  const pages = extension.pages(viewsOf(site, plans()));
  return pages.map((page) => ownPageView(page, context, contexts));
}

/**
 * The front page. That of a site with one dealer is the dealer's list, unless the theme has a front page of
 * its own; both say that the site's own address is the one to be known.
 */
function frontPage(
  context: SiteContext,
  dealers: readonly DealerSummary[],
): { layout: string; view: PageView } {
  const list = context.frontIsList ? dealers[0]?.list : undefined;
  if (!list) return { layout: 'pages/front.njk', view: frontView(dealers, context) };
  const { url, file } = pageAt(context.place, '/');
  return { layout: 'pages/dealer.njk', view: { ...list, url, file } };
}

/**
 * Plans the pages and files about all dealers, and those of an extension.
 *
 * @param plans plans of all dealers, for an extension alone: all their views are made.
 */
export function planSiteWide(
  input: SiteWideInput,
  dealers: readonly DealerSummary[],
  plans: () => DealerPlan[],
): PlanPart {
  const { config, context } = input;
  const { assets, place } = context;
  const { url, indexNow: tells } = config.site;
  const indexNow = tells ? indexNowKey(url) : undefined;
  // In each language, the first one first.
  const all = [context, ...input.translated].map((one, language) => {
    const inIt = dealers.map((dealer) => dealer.translated?.[language - 1] ?? dealer);
    return { one, inIt, front: frontPage(one, inIt) };
  });
  const own = ownPages(input, plans);
  // A page of an extension at such an address takes the place of ours.
  const hubs = all.map(({ one, inIt }) =>
    config.hasOneDealer
      ? []
      : makeHubViews(inIt, one).filter(({ file }) => own.every((page) => page.file !== file)),
  );
  const fronts = all.map(({ front }) => front.view);
  const legal = LEGAL_PAGES.flatMap((page) => {
    const text = input.legal?.[page];
    return text ? [legalView(page, text, context)] : [];
  });
  const planned = (
    layout: string,
    view: PageView,
    { renderKey }: Pick<SiteContext, 'renderKey'> = context,
  ): PlannedPage => ({
    file: view.file,
    layout,
    key: keyOf(renderKey, layout, view),
    view: () => view,
  });
  const folders = input.translated.map((one) => one.place.folder);
  const schemas = mediaJsonSchemas();
  const origins = [...new Set(dealers.flatMap(({ frameOrigins }) => frameOrigins))].sort();
  const files: GeneratedFile[] = [
    ...assets.files(),
    ...siteSitemaps(fronts, [...hubs.flat(), ...legal, ...own], dealers, place),
    { file: '/schema/vehicle-media.json', content: schemas.vehicle },
    { file: '/schema/dealer-media.json', content: schemas.dealer },
    {
      file: '/robots.txt',
      content: `User-agent: *\nAllow: /\n\nSitemap: ${place.origin}${place.base}/sitemap.xml\n`,
    },
    {
      file: '/_headers',
      content: headersFile(origins, {
        fonts: assets.hasFonts(),
        opened: openedSources(config),
        folders,
      }),
    },
    ...netlifyForms(config),
    ...(indexNow === undefined ? [] : [{ file: `/${indexNow}.txt`, content: indexNow }]),
  ];
  return {
    pages: [
      ...all.map(({ one, front: { layout, view } }) => planned(layout, view, one)),
      planned('pages/404.njk', notFoundView(context)),
      ...legal.map((view) => planned('pages/legal.njk', view)),
      ...all.flatMap(({ one }, language) => [
        ...(hubs[language] ?? []).map((view) => planned('pages/make-hub.njk', view, one)),
        ...(one.favourites ? [planned('pages/saved.njk', savedView(one), one)] : []),
      ]),
      ...own.map((view) => planned(view.template, view)),
    ],
    files: files.map(({ file, content }) => ({
      file,
      key: keyOf(typeof content === 'string' ? content : Buffer.from(content).toString('base64')),
      content: () => content,
    })),
    release: () => {},
  };
}
