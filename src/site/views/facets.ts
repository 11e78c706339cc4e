/** Filters by standard values. */
export const VALUED = ['fuel', 'transmission', 'body', 'colour'] as const;

/** Facts that filters of lists use, in the order of the search index. partials/card.njk has their labels. */
export const FACETS = ['mileage', 'year', 'make', 'model', ...VALUED] as const;
export type Facet = (typeof FACETS)[number];

/** Facts that pages show in their language. */
export const TRANSLATED = [...VALUED, 'drivetrain'] as const;
