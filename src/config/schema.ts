import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { fieldNamesSchema } from '../contract/field-names.ts';
import { dealerSchema } from './dealer-schema.ts';
import { duration } from './duration.ts';
import {
  baseAddress,
  envName,
  hostEntry,
  isLoopback,
  localeTag,
  timeZone,
  wholeNumber,
} from './forms.ts';

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

const siteSchema = z.strictObject({
  title: z.string().trim().min(1).describe('Title of the site.'),
  url: baseAddress().describe(
    'Public address of the site; a path is allowed. Builds read there what the site remembers.',
  ),
  locale: localeTag()
    .default('en-GB')
    .describe('Language and region for words, dates and numbers.'),
  timeZone: timeZone().default('UTC').describe('Time zone in which dates are written.'),
  perPage: wholeNumber(1, 500).default(24).describe('Vehicles on one page of a list.'),
  embedSnippet: z
    .boolean()
    .default(true)
    .describe('Whether vehicle pages show the snippet that puts the gallery on another website.'),
  theme: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder whose files win over templates/; a relative path counts from the configuration file. Without this setting "theme", where there is one.',
    ),
  extend: z
    .string()
    .regex(/\.(?:ts|mts|js|mjs)$/, 'must be the name of a file that ends in .ts or .js')
    .optional()
    .describe(
      'File with pages, data and filters of your own (docs/extending.md); a relative path counts from the configuration file.',
    ),
  indexNow: z
    .boolean()
    .default(false)
    .describe(
      'Whether a deploy tells search engines which pages changed (indexnow.org); the site then has a file that proves it is yours.',
    ),
  withdrawnFor: duration('14d').describe(
    'How long a vehicle that the service no longer lists keeps a page that says so.',
  ),
});

const share = (byDefault: number) => z.number().min(0).max(1).default(byDefault);

const publishSchema = z.strictObject({
  maxSnapshotAge: duration('72h').describe(
    'How old the last good answer for a dealer may be, from the night on which it was last given, before a person is needed. It stands in all the same.',
  ),
  maxQuarantined: share(0.2).describe(
    "Share of a dealer's records that may break the contract before the answer is not used.",
  ),
  maxVehicleLoss: share(0.3).describe(
    "Share of a dealer's vehicles that may vanish at once before the answer is held back.",
  ),
  minVehicleLoss: wholeNumber(1, 1_000_000)
    .default(5)
    .describe('Fewer vanished vehicles than this are never held back, unless all are gone.'),
  maxPictureFailures: share(0.2).describe(
    'Share of all pictures that may fail before nothing is published.',
  ),
});

const FORMATS = ['webp', 'avif', 'jpeg'] as const;

const mediaSchema = z.strictObject({
  hosts: z
    .array(hostEntry())
    .default([])
    .describe(
      'Hosts that pictures may come from, besides the service\'s own. "*" allows any public host at its usual port.',
    ),
  privateNetworks: z
    .array(
      z
        .string()
        .refine((text) => ipaddr.isValidCIDR(text), 'must be a network such as "10.0.0.0/8"'),
    )
    .default([])
    .describe('Private networks that picture hosts may resolve to. Normally none.'),
  widths: z
    .array(wholeNumber(16, 8192))
    .min(1)
    .transform((widths) => [...new Set(widths)].sort((a, b) => a - b))
    .default([320, 800, 1280])
    .describe('Widths of the thumbnails in pixels. A picture is never enlarged.'),
  formats: z
    .array(z.enum(FORMATS))
    .min(1)
    .default(['webp'])
    .describe('Formats in which every width is made, best first.'),
  fallback: z
    .enum(['cover', 'all'])
    .default('cover')
    .describe(
      "What has a JPEG besides, for readers that know nothing newer: 'cover', the first picture of a vehicle alone (as it is shared, 1200×630), or 'all', every picture.",
    ),
  fallbackWidth: wholeNumber(16, 8192)
    .default(640)
    .describe("Width of every picture's JPEG, where fallback is 'all'."),
  quality: z
    .strictObject({
      webp: wholeNumber(1, 100).default(75),
      avif: wholeNumber(1, 100).default(50),
      jpeg: wholeNumber(1, 100).default(78),
    })
    .prefault({})
    .describe('Quality by format, 1 to 100.'),
  effort: z
    .strictObject({
      webp: wholeNumber(0, 6).default(2),
      avif: wholeNumber(0, 9).default(0),
    })
    .prefault({})
    .describe('Encoder effort by format: more costs CPU and saves bytes.'),
  crop: z
    .enum(['centre', 'attention'])
    .default('centre')
    .describe('What cards and sharing pictures keep: the middle, or what looks interesting.'),
  fullSize: z
    .enum(['link', 'mirror'])
    .default('link')
    .describe(
      "Full-size pictures: 'link' to the service's own address, or 'mirror' as a copy of ours.",
    ),
  mirrorWidth: wholeNumber(640, 8192)
    .default(2560)
    .describe("Largest width of a mirrored full-size picture, where fullSize is 'mirror'."),
  revalidateAfter: duration('7d').describe(
    'After how long an unchanged address is asked again whether its picture changed.',
  ),
  downloads: wholeNumber(0, 64)
    .default(0)
    .describe('Pictures downloaded at the same time; 0 decides from cores and memory.'),
  encoders: wholeNumber(0, 64)
    .default(0)
    .describe('Pictures decoded and encoded at the same time; 0 decides from cores and memory.'),
  timeout: duration('60s').describe(
    'Deadline for one picture, redirects and retries of it included.',
  ),
  stallTimeout: duration('15s').describe('Longest wait for the next byte of a picture.'),
  maxBytes: wholeNumber(1024, 2 ** 30)
    .default(20 * 2 ** 20)
    .describe('Largest picture that is downloaded, in bytes.'),
  maxPixels: wholeNumber(1, 268_402_689)
    .default(50_000_000)
    .describe('Largest picture that is decoded, in pixels.'),
});

const videosSchema = z.strictObject({
  providers: z
    .array(
      z.strictObject({
        name: z.string().min(1).describe('Name as visitors read it.'),
        host: z
          .string()
          .regex(
            /^(?:[a-z0-9-]+\.)+[a-z]{2,}$/,
            'must be an exact host name such as "videos.example"',
          )
          .describe('Exact host of the embed address; https and the default port are required.'),
        path: z
          .string()
          .startsWith('/')
          .refine((text) => {
            try {
              // On its own: inside our anchors, `/a)|(b` would be valid and anchor nothing.
              return new RegExp(text) instanceof RegExp;
            } catch {
              return false;
            }
          }, 'must be a valid regular expression')
          .describe('Pattern that the whole path must match, such as "/embed/[a-z0-9]+".'),
        parameters: z.array(z.string()).default([]).describe('Query parameters that are kept.'),
        play: z
          .record(z.string(), z.string())
          .default({})
          .describe('Query parameters that start the player, such as { autoplay: "1" }.'),
      }),
    )
    .default([])
    .describe('Video hosts that may be embedded, besides the built-in ones.'),
  posters: z
    .enum(['provider', 'picture'])
    .default('provider')
    .describe(
      "Still of a video: the provider's, fetched when the site is built, or the vehicle's first picture.",
    ),
});

/** The whole configuration. Everything that is not needed has a default. */
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
  return findings;
}
