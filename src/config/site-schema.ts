import { z } from 'zod';
import { baseAddress, duration, localeTag, pattern, text, timeZone, wholeNumber } from './forms.ts';
import { enquirySchema, policySchema } from './opened-sources.ts';

/** Texts that a site can hold itself, each with a page of its name. */
export const LEGAL_PAGES = ['imprint', 'privacy'] as const;
export type LegalPage = (typeof LEGAL_PAGES)[number];

/** Name of the page of saved vehicles. */
export const SAVED_PAGE = 'saved';

const legalFile = (what: string) =>
  z
    .string()
    .trim()
    .regex(/\.(?:md|markdown)$/i, 'must be a file that ends in .md')
    .optional()
    .describe(
      `Markdown file with ${what}; a relative path counts from the configuration file. Pages of dealers without an address of their own for it link there.`,
    );

const legalSchema = z.strictObject({
  imprint: legalFile('the text of /imprint/, which says who answers for the website'),
  privacy: legalFile('the text of /privacy/'),
});

/** The section `site` of the configuration. */
export const siteSchema = z.strictObject({
  title: text().describe('Title of the site.'),
  url: baseAddress().describe(
    'Public address of the site; a path is allowed. Builds read there what the site remembers.',
  ),
  locale: localeTag()
    .default('en-GB')
    .describe('Language and region for words, dates and numbers.'),
  locales: z
    .array(localeTag())
    .max(20)
    .default([])
    .describe(
      'Further languages and regions. Each has all pages again, in a folder of its language: /fr/ for "fr-BE".',
    ),
  timeZone: timeZone().default('UTC').describe('Time zone in which dates are written.'),
  perPage: wholeNumber(1, 500).default(24).describe('Vehicles on one page of a list.'),
  font: pattern(/\.woff2$/i, 'must be a file that ends in .woff2')
    .optional()
    .describe(
      "Font of all texts: a WOFF2 file of at most 30 kB, best a variable one, which the site serves itself; a relative path counts from the configuration file. Without it, the system's own font.",
    ),
  sticker: z
    .boolean()
    .default(false)
    .describe(
      'Whether each vehicle has a page to print for its window, /DEALER/VEHICLE/sticker/: one more file of each.',
    ),
  theme: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder whose files win over templates/; a relative path counts from the configuration file. Without this setting "theme", where there is one.',
    ),
  legal: legalSchema.prefault({}).describe('Texts that the law may ask for, as pages of the site.'),
  plates: z
    .enum(['show', 'hide'])
    .default('show')
    .describe(
      "Whether pages, files and URLs contain number plates. 'hide' builds URLs from a keyed hash of the plate and needs SITE_SECRET (docs/vehicles.md#hide-number-plates).",
    ),
  vehicles: text()
    .optional()
    .describe(
      'CSV file with decisions about single vehicles: hide, status, title, first picture, order (docs/vehicles.md); a relative path counts from the configuration file. Without this setting "vehicles.csv", where there is one.',
    ),
  favourites: z
    .boolean()
    .default(false)
    .describe(
      'Whether visitors can save vehicles, and see those that they looked at: /saved/. Their browser alone keeps them.',
    ),
  enquiry: enquirySchema
    .optional()
    .describe('Where the form on vehicle pages sends enquiries; without it there is no form.'),
  policy: policySchema
    .prefault({})
    .describe('What pages may load and send besides what they need themselves.'),
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
