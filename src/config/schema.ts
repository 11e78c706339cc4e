import { availableParallelism } from 'node:os';
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

/** Largest response that is read: the 50,000 vehicles of one dealer, or 100,000 batches. */
const LARGEST_RESPONSE = 128 * 2 ** 20;
/** Most vehicles of one dealer. Each becomes a page. */
const MOST_VEHICLES = 50_000;

/** What a user may set of the service. */
const serviceSettings = z.strictObject({
  baseUrl: baseAddress()
    .refine((text) => {
      const url = URL.parse(text);
      return url === null || url.protocol === 'https:' || isLoopback(url);
    }, 'must be https (plain http only for this machine itself), because the key travels in it')
    .describe('Base address of the media service, {base_url} of the interface.'),
  fieldNames: fieldNamesSchema
    .prefault({})
    .describe('Real names of the fields that the interface document neutralises.'),
  timeout: duration('30s').describe(
    'Deadline for one try of a call. All tries of a call together have four times as long.',
  ),
});

/** The section `service`, with the limits that are derived or have one right value. */
const serviceSchema = serviceSettings.transform((service) => ({
  ...service,
  totalTimeout: 4 * service.timeout,
  /** Further tries after a fault (network, 408, 429, 5xx). */
  retries: 3,
  /** Longest `Retry-After` that is waited for. */
  maxRetryAfter: service.timeout,
  maxBytes: LARGEST_RESPONSE,
  maxVehicles: MOST_VEHICLES,
  /** Dealers requested at the same time, and processes that build them. */
  concurrency: Math.min(16, Math.max(4, availableParallelism())),
}));

/** How many days back a pull may reach automatically after missed pulls. */
const MOST_DAYS_OF_HISTORY = 400;

const accountSettings = z.strictObject({
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
});

const accountSchema = accountSettings.transform((account) => ({
  ...account,
  maxDaysOfHistory: MOST_DAYS_OF_HISTORY,
}));

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
export type StockConfig = NonNullable<DealerConfig['stock']>;
export type AccountConfig = Config['accounts'][number];
export type MediaConfig = Config['media'];
export type PublishConfig = Config['publish'];
export type ServiceConfig = Config['service'];

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
