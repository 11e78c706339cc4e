/** Finds the names that a service uses instead of the neutral names (interface 2.2, 2.3) in its responses. */
import { type FieldNames, NEUTRAL_FIELD_NAMES } from '../../contract/field-names.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Maximum number of records to read. All records have the same names. */
const MOST_RECORDS = 2000;

/** A hosted-video field, and its prefix. */
const FIELD = /^([A-Za-z]\w*?)(?:EmbedHtml|WatchUrl|Url)$/;

/**
 * The prefix of the three hosted-video fields, if it is not the configured one. A response must have two of the three, because
 * many fields end in `Url`.
 */
export function hostedVideoPrefix(
  body: readonly unknown[],
  configuredPrefix: string,
): string | undefined {
  const records = body.slice(0, MOST_RECORDS).filter(isObject);
  const items = records.flatMap(({ mediaList }) => (Array.isArray(mediaList) ? mediaList : []));
  const fields = new Set(items.filter(isObject).flatMap(Object.keys));
  fields.delete('mediaUrl');
  const prefixes = [...Map.groupBy(fields, (field) => FIELD.exec(field)?.[1])].flatMap(
    ([prefix, { length }]) => (prefix !== undefined && length >= 2 ? [prefix] : []),
  );
  return prefixes.includes(configuredPrefix) ? undefined : prefixes[0];
}

const CLICKS = ['socialClicks', 'searchClicks'] as const;

/** The names of the two click counts of a batch, if they differ from the configured names. */
export function clickNames(body: readonly unknown[], names: FieldNames): Partial<FieldNames> {
  const first = body.find(isObject);
  if (!first) return {};
  const knownNames = [
    'ImageLinkClicks',
    ...CLICKS.flatMap((name) => [names[name], NEUTRAL_FIELD_NAMES[name]]),
  ];
  const unknownNames = Object.keys(first).filter(
    (key) => key.endsWith('Clicks') && !knownNames.includes(key),
  );
  // The interface and all known responses list the social network first.
  const missing = CLICKS.filter((name) => !Object.hasOwn(first, names[name]));
  if (unknownNames.length !== missing.length) return {};
  return Object.fromEntries(missing.map((name, index) => [name, unknownNames[index]]));
}
