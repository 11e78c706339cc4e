import { z } from 'zod';
import { duration } from './duration.ts';
import { baseAddress, localeTag, timeZone, wholeNumber } from './forms.ts';

/** The section `site` of the configuration. */
export const siteSchema = z.strictObject({
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
    .describe(
      'Whether each dealer has a page, /DEALER/embed/, with the lines that show its vehicles on another website.',
    ),
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
