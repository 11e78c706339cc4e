import { z } from 'zod';
import { fieldNamesSchema } from '../contract/field-names.ts';
import { dealerSchema } from './dealer-schema.ts';
import { duration } from './duration.ts';
import { baseAddress, envName, isLoopback, wholeNumber } from './forms.ts';
import { checkLocales, localesOf } from './locales.ts';
import { mediaSchema } from './media-schema.ts';
import { publishSchema } from './publish-schema.ts';
import { LEGAL_PAGES, SAVED_PAGE, siteSchema } from './site-schema.ts';
import { videosSchema } from './videos-schema.ts';

const serviceSchema = z.strictObject({
  baseUrl: baseAddress()
    .refine((text) => {
      const url = URL.parse(text);
      return url === null || url.protocol === 'https:' || isLoopback(url);
    }, 'must be https (plain http only for this machine itself), because the key travels in it')
    .describe('Base address of the media service, {base_url} of the interface.'),
  fieldNames: fieldNamesSchema
    .prefault({})
    .describe('Real names of the fields that the interface document neutralises.'),
  timeout: duration('30s').describe('Deadline for one try of a call.'),
  totalTimeout: duration('2m').describe('Deadline for one call with all its retries.'),
  retries: wholeNumber(0, 10)
    .default(3)
    .describe('Further tries after a fault (network, 408, 429, 5xx).'),
  maxRetryAfter: duration('30s').describe('Longest Retry-After that is waited for.'),
  maxBytes: wholeNumber(1024, 2 ** 30)
    .default(64 * 2 ** 20)
    .describe('Largest answer that is read, in bytes.'),
  maxVehicles: wholeNumber(1, 1_000_000)
    .default(50_000)
    .describe('Most vehicles of one dealer that are believed; each becomes a page.'),
  concurrency: wholeNumber(1, 32).default(4).describe('Dealers asked for at the same time.'),
});

const accountSchema = z.strictObject({
  name: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/,
      'must be letters, digits, spaces, dots, hyphens or underscores',
    )
    .describe('Our own name for the account.'),
  customerId: z.string().min(1).describe('customerId of MyVideos.'),
  pathId: z
    .string()
    .regex(/^(?!\.{1,2}$)[^/\\]+$/, 'must be one path segment')
    .describe('The opaque :id path segment of MyVideos.'),
  apiKeyEnv: envName()
    .default('BATCH_API_KEY')
    .describe('Name of the environment variable that holds the API key.'),
  daysOfHistory: wholeNumber(1, 36_500).default(30).describe('How many days back a pull reaches.'),
  maxDaysOfHistory: wholeNumber(1, 36_500)
    .default(400)
    .describe('How far a pull may reach back by itself after missed pulls, in days.'),
});

/** The whole configuration. All settings that are not required have a default. */
export const configSchema = z.strictObject({
  $schema: z.string().optional().describe('Address of the JSON Schema, for editors.'),
  service: serviceSchema.describe('The media service.'),
  site: siteSchema.describe('The site that is built.'),
  dealers: z.array(dealerSchema).default([]).describe('Dealers whose vehicles are published.'),
  accounts: z
    .array(accountSchema)
    .default([])
    .describe('Accounts whose batches are read (MyVideos).'),
  media: mediaSchema.prefault({}).describe('Pictures and thumbnails.'),
  videos: videosSchema.prefault({}).describe('Embedded videos.'),
  publish: publishSchema.prefault({}).describe('When a build may replace the published site.'),
});

/** What a person writes in `site.config.ts`. */
export type UserConfig = z.input<typeof configSchema>;

/** The configuration with every default filled in. */
export type Config = z.output<typeof configSchema>;

export type DealerConfig = Config['dealers'][number];
export type AccountConfig = Config['accounts'][number];
export type MediaConfig = Config['media'];
export type PublishConfig = Config['publish'];
export type ServiceConfig = Config['service'];
export type StockConfig = NonNullable<DealerConfig['stock']>;

/** Names at the top of the site that settings add, with what is there; see `RESERVED_DEALER_SLUGS`. */
const addedAddresses = ({ site }: Pick<Config, 'site'>): [address: string, what: string][] => [
  ...LEGAL_PAGES.filter((page) => site.legal[page] !== undefined).map((page): [string, string] => [
    page,
    `the page of site.legal.${page}`,
  ]),
  ...(site.favourites
    ? [[SAVED_PAGE, 'the page of saved vehicles (site.favourites)'] satisfies [string, string]]
    : []),
  ...localesOf(site)
    .slice(1)
    .map(({ locale, folder }): [string, string] => [
      folder.slice(1),
      `the pages in ${locale} (site.locales[${site.locales.indexOf(locale)}])`,
    ]),
];

/** Checks that need more than one field. Each finding has the path it is about. */
export function crossCheck(config: Config): { path: string; message: string }[] {
  const findings: { path: string; message: string }[] = [];
  const unique = (list: readonly Record<string, unknown>[], name: string, key: string) => {
    const seen = new Map<unknown, number>();
    for (const [index, entry] of list.entries()) {
      const first = seen.get(entry[key]);
      if (first === undefined) seen.set(entry[key], index);
      else
        findings.push({
          path: `${name}[${index}].${key}`,
          message: `is the same as ${name}[${first}].${key}; each must be its own`,
        });
    }
  };
  unique(config.dealers, 'dealers', 'id');
  unique(config.dealers, 'dealers', 'slug');
  unique(config.accounts, 'accounts', 'name');
  for (const [address, what] of addedAddresses(config)) {
    const index = config.dealers.findIndex(({ slug }) => slug === address);
    if (index < 0) continue;
    findings.push({
      path: `dealers[${index}].slug`,
      message: `is the address of ${what}; give the dealer another`,
    });
  }
  findings.push(...checkLocales(config.site));
  return findings;
}
