import { z } from 'zod';

/**
 * The names that the interface document neutralises (sections 2.2 and 2.3). A live service uses
 * the real name of the third party, so each can be configured.
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

/** The neutral names, as the interface document writes them. */
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
 * `record` with the service's field names replaced by the documented ones, as a copy if it has any of them. Keys
 * without an alias stay, and a value that is not an object is returned as it is, for the schema to
 * refuse.
 */
export function renameFields(record: unknown, aliases: Readonly<Record<string, string>>): unknown {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return record;
  // Most records have none, and copying each takes as long as checking it against the contract.
  const renamed = Object.keys(record).some(
    (key) => Object.hasOwn(aliases, key) && aliases[key] !== key,
  );
  if (!renamed) return record;
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [
      Object.hasOwn(aliases, key) ? aliases[key] : key,
      value,
    ]),
  );
}

/** The reverse, for a service that writes records: documented names replaced by the configured ones. */
export function invertAliases(
  aliases: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(aliases).map(([configured, documented]) => [documented, configured]),
  );
}
