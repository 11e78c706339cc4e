import { z } from 'zod';
import { STOCK_COLUMNS } from './dealer-schema.ts';
import { slug } from './forms.ts';

/** Countries in which stock lists can have all facts that Google requires of used cars (Merchant Center 11192663). */
const GOOGLE_COUNTRIES = ['DE', 'ES', 'FR', 'GB', 'IT', 'NL', 'US'] as const;

/** Fields of a generic feed in addition to the fields of the stock list. */
const SITE_FIELDS = ['id', 'title', 'url', 'image', 'images', 'dealer'] as const;
const FEED_FIELDS = [...SITE_FIELDS, ...STOCK_COLUMNS, 'priceCurrency', 'mileageUnit'] as const;
export type FeedField = (typeof FEED_FIELDS)[number];

const common = {
  name: slug()
    .optional()
    .describe('Name of the file, without extension. Default: the name of the profile.'),
  dealers: z
    .enum(['together', 'each'])
    .default('together')
    .describe("One file for all dealers, or one for each: 'NAME/DEALER'."),
  public: z
    .boolean()
    .default(true)
    .describe(
      'Whether the file is published below /feeds/. Otherwise it is written to a folder next to the site, which no deploy uploads (docs/feeds.md).',
    ),
};

const googleSchema = z.strictObject({
  profile: z.literal('google-vehicle-ads').describe('Vehicle ads of Google: TSV, used cars.'),
  country: z
    .enum(GOOGLE_COUNTRIES)
    .describe('Country of the ads. It determines the required columns.'),
  ...common,
});

const metaSchema = z.strictObject({
  profile: z.literal('meta-automotive').describe('Vehicle catalogue of Meta: CSV.'),
  ...common,
});

const genericSchema = z.strictObject({
  profile: z.literal('generic').describe('Columns of your choice.'),
  format: z.enum(['csv', 'tsv', 'xml']).default('csv').describe('Format of the file.'),
  columns: z
    .record(z.string().trim().min(1).max(120), z.enum(FEED_FIELDS))
    .refine((columns) => Object.keys(columns).length > 0, 'must have at least one column')
    .describe(
      `Fields by heading, in the order of the columns, such as { "Reg": "plate" }. Fields: ${FEED_FIELDS.join(', ')}.`,
    ),
  ...common,
});

export const feedsSchema = z
  .array(z.discriminatedUnion('profile', [googleSchema, metaSchema, genericSchema]))
  .default([])
  .describe('Files with all vehicles for advertising platforms (docs/feeds.md).');

export type FeedConfig = z.output<typeof feedsSchema>[number];
export type GenericFeed = Extract<FeedConfig, { profile: 'generic' }>;
export type GoogleFeed = Extract<FeedConfig, { profile: 'google-vehicle-ads' }>;

/** Name of a feed's files, without folder and ending. */
export const feedName = ({ name, profile }: FeedConfig): string => name ?? profile;

/** Names of elements that every XML parser accepts. */
const ELEMENT = /^(?!xml)[A-Za-z_][\w.-]*$/i;

/** Problems of feeds, by the path of the setting. */
export function checkFeeds(
  feeds: readonly FeedConfig[],
  hidesPlates: boolean,
): { path: string; message: string }[] {
  const names = feeds.map(feedName);
  return feeds.flatMap((feed, index) => {
    const problems: { path: string; message: string }[] = [];
    const at = (setting: string, message: string) =>
      problems.push({ path: `feeds[${index}].${setting}`, message });
    const first = names.indexOf(names[index] ?? '');
    if (first < index) at('name', `is the name of feeds[${first}], names must differ`);
    if (feed.profile !== 'generic') return problems;
    for (const [heading, field] of Object.entries(feed.columns)) {
      if (feed.format === 'xml' && !ELEMENT.test(heading)) {
        at(
          `columns["${heading}"]`,
          'must be the name of an XML element: letters, digits, "-", "_", "."',
        );
      }
      if (field === 'vin' && feed.public && hidesPlates) {
        at(
          `columns["${heading}"]`,
          'would publish VINs although site.plates hides number plates. Set public: false',
        );
      }
    }
    return problems;
  });
}
