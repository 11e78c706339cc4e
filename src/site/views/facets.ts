/** Facts that pages show in their language. */
export const TRANSLATED = ['fuel', 'transmission', 'body', 'colour'] as const;

/** Facts that filters of lists use, in the order of the search index. partials/card.njk has their labels. */
export const FACETS = ['mileage', 'year', 'make', 'model', ...TRANSLATED] as const;
export type Facet = (typeof FACETS)[number];
