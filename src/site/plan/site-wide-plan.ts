import type { LoadedConfig } from '../../config/load.ts';
import { openedSources } from '../../config/opened-sources.ts';
import { LEGAL_PAGES } from '../../config/site-schema.ts';
import { indexNowKey } from '../documents/index-now.ts';
import { mediaJsonSchemas } from '../documents/media-json.ts';
import { netlifyForms } from '../documents/netlify-forms.ts';
import { headersFile } from '../documents/policy.ts';
import { siteSitemaps } from '../documents/sitemap.ts';
import type { OwnPage, PagesInput } from '../extend.ts';
import { ownPageView } from '../own-pages.ts';
import type { DealerContext, SiteContext } from '../views/context.ts';
import { type LegalTexts, legalView } from '../views/legal.ts';
import { frontView } from '../views/list-views.ts';
import { notFoundView } from '../views/not-found.ts';
import type { DealerSummary } from '../views/summaries.ts';
import type { GeneratedFile, PageView, SiteView } from '../views/view.ts';
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
  const front = frontView(dealers, context);
  const fronts = input.translated.map((one, index) => ({
    view: frontView(
      dealers.map((dealer) => dealer.translated?.[index] ?? dealer),
      one,
    ),
    renderKey: one.renderKey,
  }));
  const own = ownPages(input, plans);
  const legal = LEGAL_PAGES.flatMap((page) => {
    const text = input.legal?.[page];
    return text ? [legalView(page, text, context)] : [];
  });
  const planned = (layout: string, view: PageView, renderKey = context.renderKey): PlannedPage => ({
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
    ...siteSitemaps([front, ...fronts.map(({ view }) => view)], [...legal, ...own], dealers, place),
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
      planned('layouts/front.njk', front),
      ...fronts.map(({ view, renderKey }) => planned('layouts/front.njk', view, renderKey)),
      planned('layouts/404.njk', notFoundView(context)),
      ...legal.map((view) => planned('layouts/legal.njk', view)),
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
