import type { Vehicle } from '../stock/vehicle.ts';
import type { DealerContext } from './context.ts';
import { cardOf } from './list-views.ts';
import { vehicleSitemapXml } from './sitemap.ts';
import type { CardView, PageView, VehicleView } from './view.ts';

/**
 * What a vehicle gives to the pages and files that speak of many: lists, feeds, sitemaps, search.
 * It is all that they are made from, and plain data: a vehicle whose own pages need not be made
 * again is known by it alone.
 */
export interface ListEntry {
  vrm: string;
  slug: string;
  /** Absolute address of the vehicle's page. */
  canonical: string;
  fullName: string;
  card: CardView;
  share: PageView['share'];
  /** The vehicle's `<url>` in a sitemap. */
  sitemapXml: string;
}

export function entryOf(view: VehicleView, vehicle: Vehicle, context: DealerContext): ListEntry {
  return {
    vrm: view.vrm,
    slug: view.slug,
    canonical: view.canonical,
    fullName: view.fullName,
    card: cardOf(view, vehicle, context),
    share: view.share,
    sitemapXml: vehicleSitemapXml(view, context.place),
  };
}
