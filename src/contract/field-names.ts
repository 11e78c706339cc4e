import { z } from 'zod';

/**
 * The names that the interface document neutralises (sections 2.2 and 2.3). A live service uses the real
 * name of the third party, so each name can be configured.
 */
export const fieldNamesSchema = z.strictObject({
  hostedVideo: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_]*$/, 'must be a field name prefix such as "youTube"')
    .default('hostedVideo')
    .describe('Prefix of the three hosted-video fields: "youTube" reads youTubeUrl and so on.'),
  socialClicks: z
    .string()
    .min(1)
    .default('SocialClicks')
    .describe('Name of the field that counts clicks through a social network link.'),
  searchClicks: z
    .string()
    .min(1)
    .default('SearchClicks')
    .describe('Name of the field that counts clicks through a search engine link.'),
});

export type FieldNames = z.infer<typeof fieldNamesSchema>;

/** The neutral names of the interface document. */
export const NEUTRAL_FIELD_NAMES: FieldNames = fieldNamesSchema.parse({});

/** Documented names by configured names: `{ youTubeUrl: 'hostedVideoUrl', … }`. */
export function mediaItemAliases(names: FieldNames): Readonly<Record<string, string>> {
  return {
    [`${names.hostedVideo}Url`]: 'hostedVideoUrl',
    [`${names.hostedVideo}EmbedHtml`]: 'hostedVideoEmbedHtml',
    [`${names.hostedVideo}WatchUrl`]: 'hostedVideoWatchUrl',
  };
}

/** The same for batch records. */
export function batchAliases(names: FieldNames): Readonly<Record<string, string>> {
  return { [names.socialClicks]: 'SocialClicks', [names.searchClicks]: 'SearchClicks' };
}

/**
 * Replaces the service's field names in a record by the documented ones, in a copy if it has any. Keys without
 * an alias remain. A value that is not an object is returned unchanged, so that the schema refuses it.
 */
export function renameFields(record: unknown, aliases: Readonly<Record<string, string>>): unknown {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return record;
  // Most records have no such name, and a copy takes as long as a check against the contract.
  const hasAlias = Object.keys(record).some(
    (key) => Object.hasOwn(aliases, key) && aliases[key] !== key,
  );
  if (!hasAlias) return record;
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [
      Object.hasOwn(aliases, key) ? aliases[key] : key,
      value,
    ]),
  );
}

/** The reverse, for a service that writes records: configured names by documented names. */
export function invertAliases(
  aliases: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(aliases).map(([configured, documented]) => [documented, configured]),
  );
}
