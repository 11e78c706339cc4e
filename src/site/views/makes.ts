import { isSafeFile } from '../../lib/files/safe-file.ts';
import { plainLatin } from '../../lib/latin.ts';

/** Minimum number of vehicles for links to the page of a make. */
const LINKED = 3;

/** Maximum length of the last part of a URL. */
const LONGEST = 40;

/** Vehicles of one make. Plain data: summaries of dealers have it. */
export interface MakeCount {
  slug: string;
  /** The most frequent spelling. */
  name: string;
  vehicles: number;
}

/**
 * The last part of the URL of a make's page, such as `skoda` for "Škoda" and "SKODA", which share a page. Empty if
 * the name has no Latin letter and no digit.
 */
export function makeSlug(name: string): string {
  const slug = plainLatin(name)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-+|-+$/g, '');
  // Windows reserves some names for devices.
  return slug === '' || isSafeFile(slug) ? slug : `${slug}-make`;
}

/**
 * All makes with their counts, sorted by slug. The most frequent spelling is the name of the make.
 *
 * @param counts numbers of vehicles by name. A name can occur several times.
 */
export function makesOf(counts: Iterable<{ name: string; vehicles: number }>): MakeCount[] {
  const makes = new Map<string, Map<string, number>>();
  for (const { name, vehicles } of counts) {
    const slug = makeSlug(name);
    if (slug === '') continue;
    const names = makes.get(slug) ?? new Map<string, number>();
    names.set(name, (names.get(name) ?? 0) + vehicles);
    makes.set(slug, names);
  }
  return [...makes]
    .map(([slug, names]) => {
      const [first] = [...names].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
      const vehicles = [...names.values()].reduce((sum, count) => sum + count, 0);
      return { slug, name: first?.[0] ?? slug, vehicles };
    })
    .sort((a, b) => (a.slug < b.slug ? -1 : 1));
}

/**
 * Makes whose pages have links. Every make in stock has a page, because visitors and search engines keep its URL when
 * some of its vehicles are sold.
 */
export const withLinks = (makes: readonly MakeCount[]): MakeCount[] =>
  makes.filter(({ vehicles }) => vehicles >= LINKED);

/** Maximum number of makes in a description. */
const DESCRIBED = 6;

/** The most frequent makes, for the description of a page. */
export const frequentMakes = (makes: readonly MakeCount[]): string =>
  [...makes]
    .sort((a, b) => b.vehicles - a.vehicles)
    .slice(0, DESCRIBED)
    .map(({ name }) => name)
    .join(', ');

/** Path of the page of a make below the site, with slashes at both ends. */
export const makePath = (dealer: string, make: string): string => `/${dealer}/make/${make}/`;
