import { fromPublic, type PublicVehicle } from '../../record/vehicle.ts';
import { comparablePlate } from '../../stock/plate.ts';
import type { DealerContext } from '../context.ts';
import type { VehicleRecord } from '../entry.ts';
import { cardOf } from '../list-views.ts';
import { vehicleMediaJson } from '../media-json.ts';
import { oembedJson } from '../oembed.ts';
import { vehicleSitemapXml } from '../sitemap.ts';
import { embedView, vehicleView, withdrawnView } from '../vehicle-view.ts';
import type { VehicleView } from '../view.ts';
import { keyOf, type PlannedFile, type PlannedPage, type PlanPart } from './planned.ts';

const below = (page: string, name: string): string => page.replace(/index\.html$/, name);

/**
 * Pages and files of one vehicle, there or gone, and what lists must know of it. They are made from
 * its public form alone, so that they are the same whether its answer or its record is at hand.
 */
export class VehiclePlan implements PlanPart {
  /** Hash of the vehicle and all that reaches its views. */
  readonly key: string;
  readonly pages: readonly PlannedPage[];
  readonly files: readonly PlannedFile[];
  readonly withdrawn: boolean;
  /** The vehicle in its public form; undefined where it is gone. */
  readonly shown: PublicVehicle | undefined;
  readonly #context: DealerContext;
  readonly #make: () => VehicleView;
  #view: VehicleView | undefined;

  private constructor(
    slug: string,
    shown: PublicVehicle | undefined,
    context: DealerContext,
    { key, make }: { key: string; make: () => VehicleView },
  ) {
    const { dealer, place } = context;
    this.key = key;
    this.shown = shown;
    this.withdrawn = shown === undefined;
    this.#context = context;
    this.#make = make;
    const page = `/${dealer.slug}/${slug}/index.html`;
    const embed = `/embed/${dealer.slug}/${slug}/`;
    const [layout, embedLayout] = shown
      ? ['layouts/vehicle.njk', 'layouts/embed.njk']
      : ['layouts/withdrawn.njk', 'layouts/embed-gone.njk'];
    // One hash a vehicle is enough: what tells its pages and files apart stands behind it.
    this.pages = [
      {
        file: page,
        layout,
        key: key + context.layoutKey(layout),
        view: () => this.view(),
      },
      {
        file: `${embed}index.html`,
        layout: embedLayout,
        key: key + context.layoutKey(embedLayout),
        view: () => embedView(this.view(), context),
      },
    ];
    const site = { title: context.title, url: `${place.origin}${place.base}/` };
    this.files = this.withdrawn
      ? []
      : [
          {
            file: below(page, 'media.json'),
            key: `${key}-media`,
            content: () => vehicleMediaJson(this.view(), `${place.base}${embed}`, place),
          },
          {
            file: below(page, 'oembed.json'),
            key: `${key}-oembed`,
            content: () => oembedJson(this.view(), `${place.origin}${place.base}${embed}`, site),
          },
        ];
  }

  /**
   * A vehicle that is there.
   *
   * @param findable whether the plate, as people type it, leads to this vehicle.
   */
  static of(shown: PublicVehicle, context: DealerContext, findable: boolean): VehiclePlan {
    const row = context.facts?.byPlate.get(comparablePlate(shown.vrm));
    const vehicle = fromPublic(shown, context.dealer.id);
    return new VehiclePlan(vehicle.slug, shown, context, {
      key: keyOf(context.viewKey, shown, row, findable, context.views.factsOf(vehicle)),
      make: () => vehicleView(vehicle, context, findable),
    });
  }

  /** A vehicle that is gone. */
  static gone(vrm: string, slug: string, context: DealerContext): VehiclePlan {
    return new VehiclePlan(slug, undefined, context, {
      key: keyOf(context.viewKey, 'gone', vrm),
      make: () => withdrawnView(vrm, context),
    });
  }

  view(): VehicleView {
    this.#view ??= this.#make();
    return this.#view;
  }

  release(): void {
    this.#view = undefined;
  }

  /** What lists, feeds, sitemaps and the report must know of it; undefined where it is gone. */
  record(): VehicleRecord | undefined {
    if (!this.shown) return undefined;
    const view = this.view();
    const { views, place, dealer } = this.#context;
    const vehicle = fromPublic(this.shown, dealer.id);
    return {
      vrm: view.vrm,
      slug: view.slug,
      canonical: view.canonical,
      fullName: view.fullName,
      card: cardOf(view, vehicle, this.#context),
      share: view.share,
      sitemapXml: vehicleSitemapXml(view, place),
      embedded: view.videos.filter(({ embed }) => embed !== undefined).length,
      origins: views.originsOf(vehicle),
    };
  }
}
