import { createHash, hash } from 'node:crypto';
import { type Content, ENCODER, outputNames, type Recipe } from '../recipes.ts';

/**
 * Outputs of a picture that are taken together or not at all: those that every picture has, and
 * those that covers have besides. One hash for each is a quarter of one for each file.
 */
export const GROUPS = ['every', 'cover'] as const;
export type Group = (typeof GROUPS)[number];

const everyOf = new WeakMap<readonly Recipe[], readonly Recipe[]>();

/** The recipes that every picture has; the same array each time, because names are kept by array. */
function everyPicture(recipes: readonly Recipe[]): readonly Recipe[] {
  let every = everyOf.get(recipes);
  if (!every) {
    every = recipes.filter(({ height }) => height === undefined);
    everyOf.set(recipes, every);
  }
  return every;
}

/** Names of a group's outputs, in one order; none where the recipes are not a cover's. */
export function groupNames(content: Content, recipes: readonly Recipe[], group: Group): string[] {
  const every = outputNames(content, everyPicture(recipes));
  if (group === 'every') return every.sort();
  const known = new Set(every);
  return outputNames(content, recipes)
    .filter((name) => !known.has(name))
    .sort();
}

const short = (text: string, length: number): string =>
  hash('sha256', text, 'base64url').slice(0, length);

/** What decides the names and bytes of a group, besides the picture. */
function groupTag(recipes: readonly Recipe[], group: Group): string {
  const every = everyPicture(recipes);
  const its = group === 'every' ? every : recipes.filter((recipe) => !every.includes(recipe));
  return short(JSON.stringify([ENCODER, its]), 12);
}

/** Tags of both groups, by the recipes of all sources. A cover's are the longest. */
export function tagsOf(sources: readonly { recipes: readonly Recipe[] }[]): [string, string] {
  let most: readonly Recipe[] = [];
  for (const { recipes } of sources) if (recipes.length > most.length) most = recipes;
  return [groupTag(most, 'every'), groupTag(most, 'cover')];
}

/** Name of a group of some bytes among known hashes. */
export const groupName = (content: string, group: Group): string => `${content} ${group}`;

/** Hash of a group: of names and bytes of all its outputs. */
export function groupHash(outputs: Iterable<{ name: string; bytes: Uint8Array }>): string {
  const all = createHash('sha256');
  for (const { name, bytes } of outputs) all.update(`${name} ${hash('sha256', bytes)}\n`);
  return all.digest('base64url').slice(0, 16);
}

/** Hash of the name of a source: addresses may hold what is nobody's business. */
export const hashedKey = (key: string): string => short(key, 11);

/** The same of its dealer and media id alone: what stays when a picture moves. */
export const hashedItem = (key: string): string => short(key.slice(0, key.indexOf(' ')), 8);
