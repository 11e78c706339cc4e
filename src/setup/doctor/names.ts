/**
 * The names that a service uses in place of the neutral ones (interface 2.2, 2.3), found in its own
 * responses.
 */
import { type FieldNames, NEUTRAL_FIELD_NAMES } from '../../contract/field-names.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** How many records are read: names are the same in all of them. */
const MOST_RECORDS = 2000;

/** A hosted-video field: its prefix and its end. */
const FIELD = /^([A-Za-z]\w*?)(EmbedHtml|WatchUrl|Url)$/;

/**
 * The prefix of the three hosted-video fields, if a response has them under another name than `known`:
 * two of the three must be there, because many fields end in `Url`.
 */
export function hostedVideoPrefix(body: readonly unknown[], known: string): string | undefined {
  const ends = new Map<string, Set<string>>();
  for (const record of body.slice(0, MOST_RECORDS)) {
    const items = isObject(record) && Array.isArray(record.mediaList) ? record.mediaList : [];
    for (const key of items.filter(isObject).flatMap(Object.keys)) {
      const [, prefix, end] = (key !== 'mediaUrl' && FIELD.exec(key)) || [];
      if (prefix === undefined || end === undefined) continue;
      ends.set(prefix, (ends.get(prefix) ?? new Set()).add(end));
    }
  }
  const candidates = [...ends].filter(([, found]) => found.size >= 2).map(([prefix]) => prefix);
  return candidates.includes(known) ? undefined : candidates[0];
}

const CLICKS = ['socialClicks', 'searchClicks'] as const;

/** The two click counts of a batch, if they have other names than the configured ones. */
export function clickNames(body: readonly unknown[], names: FieldNames): Partial<FieldNames> {
  const first = body.find(isObject);
  if (!first) return {};
  const known = [
    'ImageLinkClicks',
    ...CLICKS.flatMap((one) => [names[one], NEUTRAL_FIELD_NAMES[one]]),
  ];
  const unknown = Object.keys(first).filter(
    (key) => key.endsWith('Clicks') && !known.includes(key),
  );
  // The interface lists the social network first, and so did every response that was seen.
  const missing = CLICKS.filter((name) => !Object.hasOwn(first, names[name]));
  if (unknown.length !== missing.length) return {};
  return Object.fromEntries(missing.map((name, index) => [name, unknown[index]]));
}
