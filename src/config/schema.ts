import { availableParallelism } from 'node:os';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { fieldNamesSchema } from '../contract/field-names.ts';
import { dealerSchema } from './dealer-schema.ts';
import { feedsSchema } from './feed-schema.ts';
import {
  baseAddress,
  duration,
  envName,
  expression,
  hostEntry,
  isSafeAddress,
  pattern,
  wholeNumber,
} from './forms.ts';
import { FORMAT_NAMES } from './image-formats.ts';
import { siteSchema } from './site-schema.ts';

/** Largest accepted response in bytes. It has room for 50,000 vehicles or 100,000 batches. */
const LARGEST_RESPONSE = 128 * 2 ** 20;
/** Maximum number of vehicles of one dealer. Each becomes a page. */
const MOST_VEHICLES = 50_000;
/** Most media items of a dealer: 40 per vehicle. */
const MOST_ITEMS = 40 * MOST_VEHICLES;

const serviceSettings = z.strictObject({
  baseUrl: baseAddress()
    .refine(
      isSafeAddress,
      'must be https (plain http only for this machine itself), because the key travels in it',
    )
    .refine(
      (text) => !/\/PublicAPI(?:\/|$)/i.test(text),
      'must end before "/PublicAPI", which is part of every request',
    )
    .describe('URL of the media service, as the vendor gave it.'),
  fieldNames: fieldNamesSchema
    .prefault({})
    .describe('Real names of the fields that the interface document neutralises.'),
  timeout: duration('30s').describe(
    'Deadline for one attempt of a request. All attempts together have four times as long.',
  ),
});

/** The section `service`, with derived and fixed limits. */
const serviceSchema = serviceSettings.transform((service) => ({
  ...service,
  totalTimeout: 4 * service.timeout,
  /** Retries after a fault (network, 408, 429, 5xx). */
  retries: 3,
  /** Longest accepted `Retry-After`. */
  maxRetryAfter: service.timeout,
  maxBytes: LARGEST_RESPONSE,
  maxVehicles: MOST_VEHICLES,
  maxItems: MOST_ITEMS,
  /** Dealers requested at the same time, and processes that build them. */
  concurrency: Math.min(16, Math.max(4, availableParallelism())),
}));

/** How many days back a pull may reach automatically after missed pulls. */
const MOST_DAYS_OF_HISTORY = 400;

const accountSettings = z.strictObject({
  name: pattern(
    /^[a-z0-9][a-z0-9_-]{0,63}$/,
    'must be lower-case letters, digits, hyphens or underscores, as in keys of a CRM',
  ).describe('Your name for the account. Never change it.'),
  customerId: z.string().min(1).describe('customerId of the account, as the vendor gave it.'),
  pathId: pattern(/^(?!\.{1,2}$)[^/\\]+$/, 'must be one path segment').describe(
    'The :id in the URL of MyVideos, as the vendor gave it.',
  ),
  apiKeyEnv: envName()
    .default('BATCH_API_KEY')
    .describe('Name of the environment variable that holds the API key.'),
  daysOfHistory: wholeNumber(1, 36_500).default(30).describe('Days that a pull requests.'),
});

const accountSchema = accountSettings.transform((account) => ({
  ...account,
  maxDaysOfHistory: MOST_DAYS_OF_HISTORY,
}));

const MB = 2 ** 20;
const DAY = 86_400_000;

const mediaSettings = z.strictObject({
  hosts: z
    .array(hostEntry())
    .default([])
    .describe(
      'Additional domains of pictures. The service\'s own domain is always allowed. "*" allows any public domain at its default port.',
    ),
  privateNetworks: z
    .array(
      z
        .string()
        .refine((text) => ipaddr.isValidCIDR(text), 'must be a network such as "10.0.0.0/8"'),
    )
    .default([])
    .describe(
      'Private networks that picture hosts and the domain of site.url may resolve to. Normally none.',
    ),
  widths: z
    .array(wholeNumber(16, 8192))
    .min(1)
    .default([320, 800, 1280])
    .transform((widths) => [...new Set(widths)].sort((a, b) => a - b))
    .describe('Widths of the thumbnails in pixels. A picture is never enlarged.'),
  viewerWidths: z
    .array(wholeNumber(640, 8192))
    .default([])
    .transform((widths) => [...new Set(widths)].sort((a, b) => a - b))
    .describe(
      'Additional widths for the full-screen viewer, such as [1600, 1920, 2560], in the first format. Each adds one file per picture that is at least as wide.',
    ),
  formats: z
    .array(z.enum(FORMAT_NAMES))
    .min(1)
    .default(['webp'])
    .describe('Formats for every width, best first.'),
  fallback: z
    .enum(['cover', 'all'])
    .default('cover')
    .describe(
      "Additional JPEGs for programs without WebP: 'cover' for the first picture of a vehicle (on its social card), or 'all' for every picture.",
    ),
  crop: z
    .enum(['centre', 'attention'])
    .default('centre')
    .describe(
      'The part that crops for cards and shared links keep: the centre, or the most interesting region.',
    ),
  fullSize: z
    .enum(['link', 'mirror'])
    .default('link')
    .describe("Full-size pictures: 'link' to the service, or 'mirror' for copies on the site."),
});

/** The section `media`, with fixed limits. */
const mediaSchema = mediaSettings.transform((media) => ({
  ...media,
  /** After this time, a picture with an unchanged URL is checked for changes. */
  revalidateAfter: 7 * DAY,
  /** Pictures downloaded at the same time. 0: depends on cores and memory. */
  downloads: 0,
  /** Pictures decoded and encoded at the same time. 0: depends on cores and memory. */
  encoders: 0,
  /** Deadline for one picture, including its redirects and retries. */
  timeout: 60_000,
  /** Longest wait for the next byte of a picture. */
  stallTimeout: 15_000,
  /** Largest picture that is downloaded, in bytes. */
  maxBytes: 20 * MB,
  /** Largest picture that is decoded, in pixels. */
  maxPixels: 50_000_000,
}));

/** The section `videos` of the configuration. */
const videosSchema = z.strictObject({
  providers: z
    .array(
      z.strictObject({
        name: z.string().min(1).describe('Name that visitors see.'),
        host: pattern(
          /^(?:[a-z0-9-]+\.)+[a-z]{2,}$/,
          'must be an exact host name such as "videos.example"',
        ).describe('Exact host of the embed URL. https and the default port are required.'),
        path: expression()
          .startsWith('/')

          .describe('Pattern that the whole path must match, such as "/embed/[a-z0-9]+".'),
        parameters: z.array(z.string()).default([]).describe('Query parameters that are kept.'),
        play: z
          .record(z.string(), z.string())
          .default({})
          .describe('Query parameters that start the player, such as { autoplay: "1" }.'),
      }),
    )
    .default([])
    .describe('Additional video hosts that may be embedded.'),
  posters: z
    .enum(['provider', 'picture'])
    .default('provider')
    .describe(
      "Still of a video: the provider's, fetched when the site is built, or the vehicle's first picture.",
    ),
});

const share = (byDefault: number) => z.number().min(0).max(1).default(byDefault);

/** The section `publish` of the configuration. */
const publishSchema = z.strictObject({
  maxSnapshotAge: duration('72h').describe(
    "Maximum age of a dealer's snapshot before it needs attention. It is used anyway.",
  ),
  maxQuarantined: share(0.2).describe(
    "Maximum share of a dealer's records that may break the contract. Otherwise the response is not used. If more of its media items are unusable, the dealer needs attention.",
  ),
  maxVehicleLoss: share(0.3).describe(
    "Maximum share of a dealer's vehicles that may disappear at once. Otherwise the response is held. The same share limits losses of pictures, and of videos, of vehicles that are still listed.",
  ),
  minVehicleLoss: wholeNumber(1, 1_000_000)
    .default(5)
    .describe(
      'Smaller losses of vehicles, pictures or videos are never held, unless no vehicle or no picture is left.',
    ),
  maxPictureFailures: share(0.2).describe(
    'Maximum share of all pictures that may be missing. Otherwise nothing is published. If all missing pictures are of one vehicle, half of all may be missing. A dealer with a larger share of failed pictures needs attention.',
  ),
});

/** The whole configuration. All settings that are not required have a default. */
export const configSchema = z.strictObject({
  $schema: z.string().optional().describe('URL of the JSON Schema, for editors.'),
  service: serviceSchema.describe('The media service.'),
  site: siteSchema.optional().describe('The site to build. Not needed with only `accounts`.'),
  dealers: z.array(dealerSchema).default([]).describe('Dealers whose vehicles are published.'),
  accounts: z
    .array(accountSchema)
    .default([])
    .describe('Accounts whose batches are read (MyVideos).'),
  feeds: feedsSchema,
  media: mediaSchema.prefault({}).describe('Pictures and thumbnails.'),
  videos: videosSchema.prefault({}).describe('Embedded videos.'),
  publish: publishSchema.prefault({}).describe('Conditions for replacing the published site.'),
});

/** The content of `site.config.ts`. */
export type UserConfig = z.input<typeof configSchema>;

export type ParsedConfig = z.output<typeof configSchema>;

/** The configuration of a site, with every default filled in. */
export type Config = ParsedConfig & { site: z.output<typeof siteSchema> };

export type DealerConfig = Config['dealers'][number];
export type StockConfig = NonNullable<DealerConfig['stock']>;
export type AccountConfig = Config['accounts'][number];
export type MediaConfig = Config['media'];
export type PublishConfig = Config['publish'];
export type ServiceConfig = Config['service'];
