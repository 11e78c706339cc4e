import { fromPublic, type PublicVehicle } from '../../record/vehicle.ts';
import type { Vehicle } from '../../stock/vehicle.ts';
import { asVehicle, type Withdrawn } from '../../stock/withdrawn.ts';
import { vehicleMediaJson } from '../documents/media-json.ts';
import { oembedJson } from '../documents/oembed.ts';
import { vehicleSitemapXml } from '../documents/sitemap.ts';
import type { DealerContext } from '../views/context.ts';
import { cardOf } from '../views/list-views.ts';
import { embedAt, pageAt } from '../views/site-url.ts';
import type { VehicleSummary } from '../views/summaries.ts';
import { factsOf } from '../views/vehicle-texts.ts';
import {
  embedView,
  type ListedVehicle,
  listedVehicle,
  publicFacts,
  shownElsewhere,
  stickerView,
  vehicleCard,
  vehicleView,
  withdrawnView,
} from '../views/vehicle-view.ts';
import type { PageView, VehicleView } from '../views/view.ts';
import { keyOf, type PlanPart } from './planned.ts';

/** Pages and files of one vehicle, in stock or withdrawn. */
export interface VehiclePlan extends PlanPart {
  /** Hash of the vehicle and all other input of its views, other vehicles left out. */
  key: string;
  withdrawn: boolean;
  view(): VehicleView;
}

/**
 * The pages of a vehicle, with a view that is made once. One hash a vehicle is enough: its pages and files are
 * distinguished by what follows it. Its own page alone shows other vehicles, by `pageKey`.
 */
function pagesOf(
  { slug, key, pageKey = key }: { slug: string; key: string; pageKey?: string },
  [layout, embed, sticker]: readonly [layout: string, embed: string, sticker?: string | undefined],
  make: () => VehicleView,
  context: DealerContext,
) {
  let made: VehicleView | undefined;
  const view = () => {
    made ??= make();
    return made;
  };
  const { place, layoutKey } = context;
  const at = `/${context.dealer.slug}/${slug}/`;
  const page = (file: string, name: string, its: string, of: () => PageView) => ({
    file,
    layout: name,
    key: its + layoutKey(name),
    view: of,
  });
  return {
    key,
    view,
    pages: [
      page(pageAt(place, at).file, layout, pageKey, view),
      page(embedAt(place, at).file, embed, key, () => embedView(view(), context)),
      ...(sticker
        ? [
            page(pageAt(place, `${at}sticker/`).file, sticker, key, () =>
              stickerView(view(), context),
            ),
          ]
        : []),
    ],
    release: () => {
      made = undefined;
    },
  };
}

/** Another vehicle of the dealer, with hashes of what a page shows of it. */
export interface Other {
  vehicle: Vehicle;
  /** Of its name, and of all that is shown of it as a similar vehicle. */
  keys: { name: string; similar: string };
}

/** What is known of a vehicle among the others of its dealer. */
export interface Surroundings {
  similar: readonly Other[];
  previous: Other | undefined;
  next: Other | undefined;
  /** Last part of the address of its make's page. Undefined where that has none. */
  makePage: string | undefined;
}

/** A vehicle for the pages of others. */
export function otherOf(vehicle: Vehicle, context: DealerContext): Other {
  const { name, similar } = shownElsewhere(vehicle, context);
  const cover = context.views.coverFactsOf(vehicle);
  return { vehicle, keys: { name: keyOf(name), similar: keyOf(similar, cover) } };
}

/**
 * Plans a vehicle in stock; `record` has what lists, feeds, sitemaps and the report need of it.
 * Everything is made from its public form alone, so that an answer and a record give the same result.
 *
 * @param isKnown whether an earlier build made its dealer's pages: then most likely its own pages need
 *   not be made, and lists are made without its view.
 */
export function planVehicle(
  shown: PublicVehicle,
  context: DealerContext,
  { similar, previous, next, makePage, isKnown }: Surroundings & { isKnown: boolean },
): VehiclePlan & { record(): VehicleSummary } {
  const { dealer, place, views, title } = context;
  const vehicle = fromPublic(shown, dealer.id);
  // Pages do not show the VIN, and records do not have it.
  const { vin: _, ...row } = factsOf(shown.vrm, context);
  const key = keyOf(context.viewKey, shown, row, views.factsOf(vehicle));
  const pageKey = keyOf(
    key,
    similar.map(({ keys }) => keys.similar),
    [previous, next].map((other) => other?.keys.name ?? ''),
    makePage,
  );
  const sticker = context.sticker ? 'pages/sticker.njk' : undefined;
  const layouts = ['pages/vehicle.njk', 'pages/embed.njk', sticker] as const;
  const make = () =>
    vehicleView(vehicle, context, {
      makePage,
      similar: similar.map((other) => other.vehicle),
      previous: previous?.vehicle,
      next: next?.vehicle,
    });
  const part = pagesOf({ slug: vehicle.slug, key, pageKey }, layouts, make, context);
  const below = `/${dealer.slug}/${vehicle.slug}/`;
  const embed = embedAt(place, below);
  const site = { title, url: `${place.origin}${place.base}/` };
  return {
    ...part,
    withdrawn: false,
    files: [
      vehicleCard(vehicle, context).planned,
      // All languages have the data of the first.
      ...(place.folder === ''
        ? [
            {
              file: `${below}media.json`,
              key: `${key}-media`,
              content: () => vehicleMediaJson(part.view(), embed.url, place),
            },
          ]
        : []),
      {
        file: `${place.folder}${below}oembed.json`,
        key: `${key}-oembed`,
        content: () => oembedJson(part.view(), embed.canonical, site),
      },
    ],
    record: () => {
      const view: ListedVehicle = isKnown ? listedVehicle(vehicle, context) : part.view();
      const { vrm, slug, canonical, fullName, share, videos } = view;
      const { description: _, equipment: __, ...facts } = publicFacts(row, context);
      return {
        vrm,
        slug,
        canonical,
        fullName,
        make: row.make ?? '',
        facts,
        card: cardOf(view, vehicle, context),
        lead: context.frontIsList ? undefined : views.lead(vehicle),
        share,
        sitemapXml: vehicleSitemapXml(view, place),
        embedded: videos.filter((video) => video.embed !== undefined).length,
        origins: views.originsOf(vehicle),
      };
    },
  };
}

/** Plans a withdrawn vehicle. */
export function planWithdrawn(
  withdrawn: Withdrawn,
  context: DealerContext,
  similar: readonly Other[],
): VehiclePlan {
  const { vrm, facts = {} } = withdrawn;
  const vehicle = asVehicle(withdrawn, context.dealer.id);
  const shown = factsOf(vrm, context, facts);
  const key = keyOf(context.viewKey, 'gone', vrm, shown, context.views.coverFactsOf(vehicle));
  const pageKey = keyOf(
    key,
    similar.map(({ keys }) => keys.similar),
  );
  const layouts = ['pages/withdrawn.njk', 'pages/embed-gone.njk'] as const;
  const others = similar.map((other) => other.vehicle);
  const make = () => withdrawnView(vehicle, shown, others, context);
  const part = pagesOf({ slug: vehicle.slug, key, pageKey }, layouts, make, context);
  return { ...part, withdrawn: true, files: [] };
}
