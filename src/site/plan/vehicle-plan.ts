import { fromPublic, type PublicVehicle } from '../../record/vehicle.ts';
import { plateKey } from '../../stock/plate.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import { asVehicle, type Withdrawn } from '../../stock/withdrawn.ts';
import { vehicleMediaJson } from '../documents/media-json.ts';
import { oembedJson } from '../documents/oembed.ts';
import { latest, vehicleSitemapXml } from '../documents/sitemap.ts';
import type { DealerContext } from '../views/context.ts';
import { originsOf } from '../views/gallery-view.ts';
import { cardOf } from '../views/list-views.ts';
import { type Other, type Surroundings, shownElsewhere } from '../views/other-vehicles.ts';
import { embedAt, pageAt } from '../views/site-url.ts';
import type { VehicleSummary } from '../views/summaries.ts';
import { factsOf } from '../views/vehicle-texts.ts';
import {
  embedView,
  type ListedVehicle,
  listedVehicle,
  publicFacts,
  stickerView,
  vehicleCard,
  vehicleView,
  withdrawnView,
} from '../views/vehicle-view.ts';
import type { StickerView, VehicleView, WithdrawnView } from '../views/view.ts';
import { keyOf, type PlannedPage, type PlanPart } from './planned.ts';

/** Pages and files of one vehicle, in stock or withdrawn. */
export interface VehiclePlan extends PlanPart {
  /** Hash of the vehicle and all other input of its views, except other vehicles. */
  key: string;
  /** Undefined for a withdrawn vehicle. */
  view?(): VehicleView;
}

interface InStockPlan extends VehiclePlan {
  view(): VehicleView;
  /** Its data for lists, feeds, sitemaps and the report. */
  record(): VehicleSummary;
}

/**
 * The pages of a vehicle, with a view that is made once. The keys of pages and files are one hash for each vehicle,
 * with different endings. Only the vehicle's page shows other vehicles, so it has `pageKey`.
 */
function pagesOf<View extends VehicleView | WithdrawnView>(
  { slug, key, pageKey }: { slug: string; key: string; pageKey: string },
  [layout, embed]: readonly [layout: string, embed: string],
  make: () => View,
  context: DealerContext,
) {
  let cachedView: View | undefined;
  const view = () => {
    cachedView ??= make();
    return cachedView;
  };
  const { place, layoutKey } = context;
  const at = `/${context.dealer.slug}/${slug}/`;
  return {
    key,
    view,
    pages: [
      { file: pageAt(place, at).file, layout, key: pageKey + layoutKey(layout), view },
      {
        file: embedAt(place, at).file,
        layout: embed,
        key: key + layoutKey(embed),
        view: () => embedView(view(), context),
      },
    ],
    release: () => {
      cachedView = undefined;
    },
  };
}

const STICKER = 'pages/sticker.njk';
/** Maximum number of sheets on one page. More would overload a browser. */
const MOST_SHEETS = 200;

/** A page with sheets. @param path of the page that it belongs to. */
const sheetsPage = (
  path: string,
  key: string,
  { place, layoutKey }: DealerContext,
  view: () => StickerView,
): PlannedPage => ({
  file: pageAt(place, `${path}sticker/`).file,
  layout: STICKER,
  key: key + layoutKey(STICKER),
  view,
});

/** The page with the sheets of a dealer's vehicles in the order of its list, without sold ones. */
export function planSheets(vehicles: readonly InStockPlan[], context: DealerContext): PlannedPage {
  const { name, slug } = context.dealer;
  const path = `/${slug}/`;
  const key = keyOf(context.viewKey, ...vehicles.map((vehicle) => vehicle.key));
  return sheetsPage(path, key, context, () => {
    const views = vehicles.map(({ view }) => view()).filter(({ status }) => status !== 'sold');
    return stickerView(path, name, views.slice(0, MOST_SHEETS), context);
  });
}

/** Prepares a vehicle for the pages of others. */
export function otherOf(vehicle: Vehicle, context: DealerContext): Other {
  const { name, similar } = shownElsewhere(vehicle, context);
  const cover = context.views.coverFactsOf(vehicle);
  return { vehicle, keys: { name: keyOf(name), similar: keyOf(similar, cover) } };
}

/**
 * Plans a vehicle in stock. All input is from its public form, so that a response and a record give the same result.
 *
 * @param isKnown whether an earlier build made its dealer's pages. Then its page is most likely unchanged, and
 *   lists are made without its view.
 */
export function planVehicle(
  publicVehicle: PublicVehicle,
  context: DealerContext,
  surroundings: Surroundings,
  isKnown: boolean,
): InStockPlan {
  const { dealer, place, views, title } = context;
  const { similar, previous, next, makePage } = surroundings;
  const vehicle = fromPublic(publicVehicle, dealer.id);
  // Pages do not show the VIN, and records do not have it.
  const { vin: _, ...row } = factsOf(publicVehicle.vrm, context);
  const factsChanged = context.facts?.changed.get(plateKey(publicVehicle.vrm));
  const key = keyOf(context.viewKey, publicVehicle, row, factsChanged, views.factsOf(vehicle));
  const pageKey = keyOf(
    key,
    similar.map(({ keys }) => keys.similar),
    [previous, next].map((other) => other?.keys.name ?? ''),
    makePage,
  );
  const layouts = ['pages/vehicle.njk', 'pages/embed.njk'] as const;
  const make = () => vehicleView(vehicle, context, surroundings);
  const part = pagesOf({ slug: vehicle.slug, key, pageKey }, layouts, make, context);
  const folder = `/${dealer.slug}/${vehicle.slug}/`;
  const embed = embedAt(place, folder);
  const site = { title, url: `${place.origin}${place.base}/` };
  const sheet = () => stickerView(folder, part.view().fullName, [part.view()], context);
  return {
    ...part,
    pages: [...part.pages, ...(context.sticker ? [sheetsPage(folder, key, context, sheet)] : [])],
    files: [
      vehicleCard(vehicle, context).planned,
      // All languages share the data of the first one.
      ...(place.folder === ''
        ? [
            {
              file: `${folder}media.json`,
              key: `${key}-media`,
              content: () => vehicleMediaJson(part.view(), embed.url, place),
            },
          ]
        : []),
      {
        file: `${place.folder}${folder}oembed.json`,
        key: `${key}-oembed`,
        content: () => oembedJson(part.view(), embed.canonical, site),
      },
    ],
    record: () => {
      const view: ListedVehicle = isKnown ? listedVehicle(vehicle, context) : part.view();
      const { vrm, slug, canonical, fullName, share, videos } = view;
      const changed = latest([vehicle.dateUpdated, factsChanged]) ?? vehicle.dateUpdated;
      const { description: _, equipment: __, ...facts } = publicFacts(row, context);
      return {
        vrm,
        slug,
        canonical,
        fullName,
        facts,
        card: cardOf(view, vehicle, context),
        lead: context.frontIsList ? undefined : views.lead(vehicle),
        share,
        changed,
        sitemapXml: vehicleSitemapXml(view, changed, place),
        embedded: videos.filter((video) => video.embed !== undefined).length,
        origins: originsOf(videos),
      };
    },
  };
}

export function planWithdrawn(
  withdrawn: Withdrawn,
  context: DealerContext,
  similar: readonly Other[],
): VehiclePlan {
  const { vrm, facts = {} } = withdrawn;
  const vehicle = asVehicle(withdrawn, context.dealer.id);
  const currentFacts = factsOf(vrm, context, facts);
  const cover = context.views.coverFactsOf(vehicle);
  const key = keyOf(context.viewKey, 'gone', vrm, currentFacts, cover);
  const similarKeys = similar.map(({ keys }) => keys.similar);
  const pageKey = keyOf(key, similarKeys);
  const layouts = ['pages/withdrawn.njk', 'pages/embed-gone.njk'] as const;
  const make = () => withdrawnView(vehicle, currentFacts, similar, context);
  const { view: _, ...part } = pagesOf(
    { slug: vehicle.slug, key, pageKey },
    layouts,
    make,
    context,
  );
  return { ...part, files: [] };
}
