import { type FieldNames, NEUTRAL_FIELD_NAMES } from '../../contract/field-names.ts';

/**
 * The names that a service writes in place of the neutral ones (interface 2.2, 2.3), found in its
 * own answers, so that nobody has to look for them.
 */

const ENDS = ['Url', 'EmbedHtml', 'WatchUrl'] as const;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** How many records are looked at: names are the same in all of them. */
const LOOKED_AT = 2000;

/**
 * The prefix of the three hosted-video fields, where an answer has them under another name than
 * `known`: two of the three must be there, because many fields end in `Url`.
 */
export function hostedVideoPrefix(body: readonly unknown[], known: string): string | undefined {
  const ends = new Map<string, Set<string>>();
  for (const record of body.slice(0, LOOKED_AT)) {
    const items = isObject(record) && Array.isArray(record.mediaList) ? record.mediaList : [];
    for (const item of items) {
      if (!isObject(item)) continue;
      for (const key of Object.keys(item)) {
        // The longest end first: `xWatchUrl` ends in `Url` too.
        const end = [...ENDS].reverse().find((one) => key.endsWith(one) && key !== 'mediaUrl');
        const prefix = end && key.slice(0, -end.length);
        if (!prefix || !/^[A-Za-z][A-Za-z0-9_]*$/.test(prefix)) continue;
        const found = ends.get(prefix) ?? new Set<string>();
        ends.set(prefix, found.add(end));
      }
    }
  }
  const candidates = [...ends].filter(([, found]) => found.size >= 2).map(([prefix]) => prefix);
  return candidates.includes(known) ? undefined : candidates[0];
}

const OWN_CLICKS = [
  'ImageLinkClicks',
  NEUTRAL_FIELD_NAMES.socialClicks,
  NEUTRAL_FIELD_NAMES.searchClicks,
];

/** The two click counts of a batch, where they have other names than the configured ones. */
export function clickNames(
  body: readonly unknown[],
  names: FieldNames,
): Partial<Pick<FieldNames, 'socialClicks' | 'searchClicks'>> {
  const first = body.find(isObject);
  if (!first) return {};
  const unknown = Object.keys(first).filter(
    (key) =>
      key.endsWith('Clicks') &&
      !OWN_CLICKS.includes(key) &&
      key !== names.socialClicks &&
      key !== names.searchClicks,
  );
  // The interface lists the social network first, and so does every answer that was seen.
  const missing = (['socialClicks', 'searchClicks'] as const).filter(
    (name) => !Object.hasOwn(first, names[name]),
  );
  return Object.fromEntries(
    missing.flatMap((name, index) => {
      const value = unknown[index];
      return value === undefined || unknown.length !== missing.length ? [] : [[name, value]];
    }),
  );
}
