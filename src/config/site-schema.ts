import { z } from 'zod';
import {
  baseAddress,
  colour,
  duration,
  localeTag,
  logo,
  pattern,
  text,
  timeZone,
  wholeNumber,
} from './forms.ts';
import { enquirySchema, policySchema } from './opened-sources.ts';

/** Legal texts that can be pages of the site, by the name of the page. */
export const LEGAL_PAGES = ['imprint', 'privacy'] as const;
export type LegalPage = (typeof LEGAL_PAGES)[number];

/** Name of the page of saved vehicles. */
export const SAVED_PAGE = 'saved';

/** Value of `site.font` for the font of the visitor's system. */
export const SYSTEM_FONT = 'system';

const legalFile = (what: string) =>
  z
    .string()
    .trim()
    .regex(/\.(?:md|markdown)$/i, 'must be a file that ends in .md')
    .optional()
    .describe(
      `Markdown file with ${what}. A relative path counts from the configuration file. Dealers without a separate URL link there.`,
    );

const legalSchema = z.strictObject({
  imprint: legalFile("the text of /imprint/, the legal notice of the website's owner"),
  privacy: legalFile('the text of /privacy/'),
});

/** The section `site` of the configuration. */
export const siteSchema = z.strictObject({
  title: text().describe('Title of the site.'),
  url: baseAddress().describe(
    'Public URL of the site. A path is allowed. Builds read the stored state from it.',
  ),
  locale: localeTag().default('en-GB').describe('Language and region of texts, dates and numbers.'),
  locales: z
    .array(localeTag())
    .max(20)
    .default([])
    .describe(
      'Languages and regions in addition to site.locale. Each repeats all pages in a folder: /fr/ for "fr-BE".',
    ),
  timeZone: timeZone().default('UTC').describe('Time zone in which dates are written.'),
  perPage: wholeNumber(1, 500).default(24).describe('Vehicles on one page of a list.'),
  colour: colour()
    .optional()
    .describe(
      'Colour of buttons and links on pages without a dealer, and for dealers without a colour.',
    ),
  logo: logo()
    .optional()
    .describe(
      'Picture file with the logo of the group, for pages without a dealer. A relative path counts from the configuration file.',
    ),
  font: pattern(/\.woff2$|^system$/, 'must be a file that ends in .woff2, or "system"')
    .optional()
    .describe(
      `Font of all texts: a WOFF2 file of at most 30 kB, preferably a variable font. The site serves it. A relative path counts from the configuration file. "${SYSTEM_FONT}" is the font of the visitor's system. Default: Figtree.`,
    ),
  sticker: z
    .boolean()
    .default(false)
    .describe(
      'Whether each vehicle has a printable window sticker, /DEALER/VEHICLE/sticker/. /DEALER/sticker/ prints at most 200, without sold vehicles. It adds one file per vehicle.',
    ),
  theme: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder whose files override templates/. A relative path counts from the configuration file. Default: theme, if it exists.',
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
      'CSV file with changes to individual vehicles: hide, status, title, first picture, order (docs/vehicles.md). A relative path counts from the configuration file. Default: vehicles.csv, if it exists.',
    ),
  favourites: z
    .boolean()
    .default(false)
    .describe(
      'Whether visitors can save vehicles and see recently viewed ones at /saved/. Only their browser stores them.',
    ),
  enquiry: enquirySchema
    .optional()
    .describe('Destination of the enquiry form on vehicle pages. Without it there is no form.'),
  policy: policySchema
    .prefault({})
    .describe('Additional hosts that pages may load from and send to.'),
  indexNow: z
    .boolean()
    .default(false)
    .describe(
      'Whether a deploy reports changed pages to search engines (indexnow.org). The site then has a file that proves ownership.',
    ),
  withdrawnFor: duration('14d').describe('How long a withdrawn vehicle keeps its page.'),
});

/** A language of the site, and the folder of its pages. */
export interface SiteLocale {
  locale: string;
  /** Such as `/fr`. Empty for `site.locale`. */
  folder: string;
}

interface Site {
  locale: string;
  locales: readonly string[];
}

/** Every language of the site, `site.locale` first. `site.locales` may repeat it. */
export const localesOf = ({ locale, locales }: Site): [SiteLocale, ...SiteLocale[]] => [
  { locale, folder: '' },
  ...locales
    .filter((other) => other !== locale)
    .map((other) => ({ locale: other, folder: `/${new Intl.Locale(other).language}` })),
];
