import { z } from 'zod';
import { fieldNamesSchema } from '../contract/field-names.ts';
import { duration } from './duration.ts';

const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL's host is this machine itself (`localhost`, `127.0.0.0/8`, `[::1]`). */
export function isLoopback(url: URL): boolean {
  return LOOPBACK.test(url.hostname);
}

const isPlainHttp = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
};

const httpUrl = () =>
  z
    .string()
    .refine(isPlainHttp, 'must be an absolute http(s) address without user name or password');

/** An address that only sits there: no query, no fragment, and no slash at the end once read. */
const baseAddress = () =>
  httpUrl()
    .refine((text) => !/[?#]/.test(text), 'must have no query and no fragment')
    .transform((text) => text.replace(/\/+$/, ''));

const envName = () =>
  z
    .string()
    .regex(
      /^[A-Za-z_][A-Za-z0-9_]*$/,
      'must be the name of an environment variable, not the key itself',
    );

const wholeNumber = (min: number, max: number) => z.int().min(min).max(max);

/** Folder names at the top of the site that are ours, so that no dealer can be called that. */
export const RESERVED_DEALER_SLUGS = ['assets', 'embed', 'media', 'page', 'api', '404', 'search'];

const slug = () =>
  z
    .string()
    .max(60)
    .regex(
      /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
      'must be lower-case letters and digits, joined by single hyphens',
    )
    .refine((text) => !RESERVED_DEALER_SLUGS.includes(text), 'is a name that the site itself uses');

/** A host allow-list entry: `host`, `host:port`, or `*`. Without a port: the scheme's own port. */
const hostEntry = () =>
  z
    .string()
    .toLowerCase()
    .regex(
      /^(\*|(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?)$/,
      'must be a host name such as "pictures.example", optionally with ":port", or "*"',
    );

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
  concurrency: wholeNumber(1, 32).default(4).describe('Dealers asked for at the same time.'),
});

const contactSchema = z.strictObject({
  phone: z
    .string()
    .regex(/^\+?[0-9 ()./-]{4,30}$/, 'must be a telephone number such as "+44 1632 960001"')
    .optional()
    .describe('Telephone number, as it should be shown.'),
  whatsapp: z
    .string()
    .regex(/^\+?[0-9 ]{6,20}$/, 'must be a number in international form such as "+447700900001"')
    .optional()
    .describe('WhatsApp number in international form.'),
  email: z.email().optional().describe('E-mail address for enquiries.'),
});

const dealerSchema = z.strictObject({
  id: wholeNumber(0, Number.MAX_SAFE_INTEGER).describe('dealerId of GetMediaByDealer.'),
  name: z.string().trim().min(1).describe('Name as visitors read it.'),
  slug: slug().describe('First part of the address of all pages of the dealer. Never change it.'),
  apiKeyEnv: envName()
    .default('MEDIA_API_KEY')
    .describe('Name of the environment variable that holds the API key.'),
  contact: contactSchema.optional().describe('How visitors reach the dealer.'),
  website: httpUrl().optional().describe('The website that the dealer already has.'),
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
  url: baseAddress().describe('Public address of the site; a path is allowed.'),
  locale: z
    .string()
    .refine((tag) => {
      try {
        return Intl.getCanonicalLocales(tag).length === 1;
      } catch {
        return false;
      }
    }, 'must be a language tag such as "en-GB"')
    .default('en-GB')
    .describe('Language and region for words, dates and numbers.'),
  timeZone: z
    .string()
    .refine((zone) => {
      try {
        new Intl.DateTimeFormat('en', { timeZone: zone });
        return true;
      } catch {
        return false;
      }
    }, 'must be a time zone such as "Europe/London"')
    .default('UTC')
    .describe('Time zone in which dates are written.'),
});

const FORMATS = ['webp', 'avif', 'jpeg'] as const;

const mediaSchema = z.strictObject({
  hosts: z
    .array(hostEntry())
    .default([])
    .describe(
      'Hosts that pictures may come from, besides the service\'s own. "*" allows any public host.',
    ),
  privateNetworks: z
    .array(z.string().regex(/^[0-9a-fA-F:.]+\/\d{1,3}$/, 'must be a network such as "10.0.0.0/8"'))
    .default([])
    .describe('Private networks that picture hosts may resolve to. Normally none.'),
  widths: z
    .array(wholeNumber(16, 8192))
    .min(1)
    .transform((widths) => [...new Set(widths)].sort((a, b) => a - b))
    .default([320, 640, 1280])
    .describe('Widths of the thumbnails in pixels. A picture is never enlarged.'),
  formats: z
    .array(z.enum(FORMATS))
    .min(1)
    .default(['webp'])
    .describe('Formats in which every width is made, best first.'),
  fallbackWidth: wholeNumber(16, 8192)
    .default(640)
    .describe(
      'Width of the one JPEG per picture for browsers and readers that know nothing newer.',
    ),
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
  downloads: wholeNumber(1, 64).default(8).describe('Pictures downloaded at the same time.'),
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
});

/** What a person writes in `site.config.ts`. */
export type UserConfig = z.input<typeof configSchema>;

/** The configuration with every default filled in. */
export type Config = z.output<typeof configSchema>;

export type DealerConfig = Config['dealers'][number];
export type AccountConfig = Config['accounts'][number];
export type MediaConfig = Config['media'];
export type ServiceConfig = Config['service'];

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
