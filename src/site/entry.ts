import type { CardView, PageView } from './view.ts';

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
