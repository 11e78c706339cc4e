import type { DealerSummary } from '../views/summaries.ts';

/**
 * `moved.json`, for the pages of withdrawn vehicles: last part of the URL → slug of the dealer that lists the vehicle
 * now. It has only vehicles that another dealer of the site has withdrawn.
 */
export function movedIndex(dealers: readonly DealerSummary[]): string {
  const listed = new Map(
    dealers.flatMap(({ link, cards }) => cards.map(({ slug }) => [slug, link.slug] as const)),
  );
  const withdrawn = [...new Set(dealers.flatMap((dealer) => dealer.withdrawn))].sort();
  const moved = withdrawn.filter((slug) => listed.has(slug));
  return `${JSON.stringify(Object.fromEntries(moved.map((slug) => [slug, listed.get(slug)])))}\n`;
}
