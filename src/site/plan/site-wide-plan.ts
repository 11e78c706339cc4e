import type { LoadedConfig } from '../../config/load.ts';
import { openedSources } from '../../config/opened-sources.ts';
import { LEGAL_PAGES } from '../../config/site-schema.ts';
import { isListed } from '../custom-pages.ts';
import { indexNowKey } from '../documents/index-now.ts';
import { mediaJsonSchemas } from '../documents/media-json.ts';
import { movedIndex } from '../documents/moved.ts';
import { netlifyForms } from '../documents/netlify-forms.ts';
import { headersFile } from '../documents/policy.ts';
import { siteSitemaps } from '../documents/sitemap.ts';
import type { SiteContext } from '../views/context.ts';
import { frontView, makeHubViews, newestCards } from '../views/front-view.ts';
import type { ListView } from '../views/list-types.ts';
import { searchView } from '../views/list-views.ts';
import { type LegalTexts, legalView, notFoundView, savedView } from '../views/site-pages.ts';
import { onlyAt, pageAt } from '../views/site-url.ts';
import type { DealerSummary } from '../views/summaries.ts';
import { MOVED } from '../views/vehicle-view.ts';
import type { GeneratedFile, PageView, SiteView, VehicleView } from '../views/view.ts';
import type { DealerPlan } from './dealer-plan.ts';
import { keyOf, type PlannedPage, type PlanPart, plannedFile } from './planned.ts';

/** The finished view models of a site. */
export interface SiteViews {
  site: SiteView;
  /** The first page of each dealer's list. */
  dealers: readonly ListView[];
  /** All vehicles in stock, without withdrawn ones. */
  vehicles: readonly VehicleView[];
}

/** Input of the pages and files about all dealers, in addition to the dealers' summaries. */
interface SiteWideInput {
  config: LoadedConfig;
  legal: LegalTexts | undefined;
  /** The files of custom pages. */
  custom: readonly GeneratedFile[];
  /** Public feeds. */
  feeds: readonly GeneratedFile[];
  context: SiteContext;
  /** The context in each further language. */
  translated: readonly SiteContext[];
}

/** The views of all dealers and vehicles. */
export const viewsOf = (site: SiteView, dealers: readonly DealerPlan[]): SiteViews => ({
  site,
  dealers: dealers.map((dealer) => dealer.list()),
  vehicles: dealers.flatMap(({ vehicles }) => vehicles.flatMap(({ view }) => view?.() ?? [])),
});

/**
 * The front page. For a site with one dealer, it is the dealer's list, unless the theme has a custom front page.
 * The canonical URL of both pages is the URL of the site.
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

/** Number of vehicles on pages that only show the newest. */
const NEWEST = 4;

/** A custom page below more than two folders, with the first of them. */
const DEEP = /^\/([^/]+)\/(?:[^/]+\/){2,}index\.html$/;

/** Plans the pages and files about all dealers, and the files of custom pages. */
export function planSiteWide(input: SiteWideInput, dealers: readonly DealerSummary[]): PlanPart {
  const { config, context, custom } = input;
  const { assets, place } = context;
  const { url, indexNow: reportsChanges } = config.site;
  const indexNow = reportsChanges ? indexNowKey(url) : undefined;
  // In each language, the first one first.
  const all = [context, ...input.translated].map((languageContext, language) => {
    const summaries = dealers.map((dealer) => dealer.translated?.[language - 1] ?? dealer);
    return { languageContext, summaries, front: frontPage(languageContext, summaries) };
  });
  const isCustom = (file: string) => custom.some((page) => page.file === file);
  // A custom page with the same URL replaces the page of a make, and robots.txt.
  const hubs = all.map(({ languageContext, summaries }) =>
    languageContext.hasOneDealer
      ? []
      : makeHubViews(summaries, languageContext).filter(({ file }) => !isCustom(file)),
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
  const customPages = custom.flatMap(({ file, content }) => {
    const url = /^(\/.+\/)index\.html$/.exec(file)?.[1];
    const noindex = !isListed(Buffer.from(content as Uint8Array).toString());
    return url === undefined ? [] : [{ ...onlyAt(place, url), noindex }];
  });
  const folders = input.translated.map((translated) => translated.place.folder);
  const schemas = mediaJsonSchemas();
  const origins = [...new Set(dealers.flatMap(({ frameOrigins }) => frameOrigins))].sort();
  const files: GeneratedFile[] = [
    ...assets.files(),
    ...siteSitemaps(fronts, [...hubs.flat(), ...legal, ...customPages], dealers, place),
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
        deep: [...new Set(custom.flatMap(({ file }) => DEEP.exec(file)?.[1] ?? []))].sort(),
      }),
    },
    ...netlifyForms(config),
    ...(context.hasHubs ? [{ file: MOVED, content: movedIndex(dealers) }] : []),
    ...input.feeds,
    ...(indexNow === undefined ? [] : [{ file: `/${indexNow}.txt`, content: indexNow }]),
  ];
  const customFiles = custom.map(plannedFile);
  return {
    pages: [
      ...all.map(({ languageContext, front: { layout, view } }) =>
        planned(layout, view, languageContext),
      ),
      planned('pages/404.njk', notFoundView(newestCards(dealers, NEWEST), context)),
      ...legal.map((view) => planned('pages/legal.njk', view)),
      ...all.flatMap(({ languageContext, summaries }, language) => {
        const plan = (layout: string, view: PageView) => planned(layout, view, languageContext);
        const { hasHubs, favourites } = languageContext;
        const lists = summaries.map(({ link, cards }) => ({ dealer: link.name, cards }));
        const search = () => searchView('/', lists, languageContext);
        const saved = () => savedView(newestCards(summaries, NEWEST), languageContext);
        return [
          ...(hubs[language] ?? []).map((view) => plan('pages/make-hub.njk', view)),
          ...(hasHubs ? [plan('pages/search.njk', search())] : []),
          ...(favourites ? [plan('pages/saved.njk', saved())] : []),
        ];
      }),
    ],
    files: [
      ...files.filter(({ file }) => file !== '/robots.txt' || !isCustom(file)).map(plannedFile),
      ...customFiles,
    ],
    custom: new Set(customFiles),
    release: () => {},
  };
}
