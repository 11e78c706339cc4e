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
  const moved = withdrawn.flatMap((slug) => {
    const dealer = listed.get(slug);
    return dealer === undefined ? [] : [[slug, dealer]];
  });
  return `${JSON.stringify(Object.fromEntries(moved))}\n`;
}
