import { z } from 'zod';
import {
  envName,
  httpUrl,
  localeTag,
  pattern,
  slug,
  text,
  timeZone,
  wholeNumber,
} from './forms.ts';
import { enquirySchema } from './opened-sources.ts';
import { openingHoursSchema } from './opening-hours.ts';

const contactSchema = z.strictObject({
  phone: pattern(/^\+?[0-9 ()./-]{4,30}$/, 'must be a telephone number such as "+44 1632 960001"')
    .optional()
    .describe('Telephone number, as it should be shown.'),
  whatsapp: pattern(
    /^\+?[0-9 ]{6,20}$/,
    'must be a number in international form such as "+447700900001"',
  )
    .optional()
    .describe('WhatsApp number in international form.'),
  email: z.email().optional().describe('E-mail address for enquiries.'),
});

const columnName = (what: string) =>
  text().optional().describe(`Heading of the column with the ${what}.`);

const stockSchema = z.strictObject({
  file: text().describe(
    'CSV file with a heading row, in UTF-8, UTF-16 with its mark, or Windows-1252, with commas, semicolons, tabs or bars between its columns; a relative path counts from the configuration file.',
  ),
  columns: z
    .strictObject({
      plate: text()
        .default('plate')
        .describe('Heading of the column with the number plate. The column must be there.'),
      make: columnName('make').default('make'),
      model: columnName('model').default('model'),
      variant: columnName('variant, such as "1.0 EcoBoost Titanium"').default('variant'),
      year: columnName('model year').default('year'),
      price: columnName('price').default('price'),
      mileage: columnName('mileage').default('mileage'),
      fuel: columnName('fuel').default('fuel'),
      transmission: columnName('transmission').default('transmission'),
      colour: columnName('colour').default('colour'),
      body: columnName('body, such as "Estate"').default('body'),
      link: columnName("address of the dealer's own page of the vehicle").default('link'),
      status: columnName('status: available, reserved or sold').default('status'),
    })
    .prefault({})
    .describe('Headings of the columns, where they differ from our names. Letter case is ignored.'),
  currency: pattern(/^[A-Z]{3}$/, 'must be a currency code such as "GBP"')
    .optional()
    .describe(
      'Currency of the prices; without it, that of the country that the locale names. Needed where the list has prices and the locale names no country, such as "en", or one of which we know none.',
    ),
  locale: localeTag()
    .optional()
    .describe(
      'Language and region in which the numbers of the list are written, and whose currency and unit of mileage it uses; without it, site.locale.',
    ),
});

const addressSchema = z.strictObject({
  street: text().describe('Street and number.'),
  postalCode: text().optional().describe('Postal code.'),
  city: text().describe('Town.'),
  region: text().optional().describe('County, state or the like.'),
  country: pattern(/^[A-Z]{2}$/, 'must be two capital letters such as "GB" or "DE"').describe(
    'Country, ISO 3166-1.',
  ),
});

const coordinatesSchema = z.strictObject({
  latitude: z.number().min(-90).max(90).describe('Degrees north.'),
  longitude: z.number().min(-180).max(180).describe('Degrees east.'),
});

/** One dealer of the configuration. */
export const dealerSchema = z.strictObject({
  id: wholeNumber(0, Number.MAX_SAFE_INTEGER).describe('dealerId of GetMediaByDealer.'),
  name: text().describe('Name as visitors read it.'),
  slug: slug().describe('First part of the address of all pages of the dealer. Never change it.'),
  apiKeyEnv: envName()
    .default('MEDIA_API_KEY')
    .describe('Name of the environment variable that holds the API key.'),
  contact: contactSchema.optional().describe('How visitors reach the dealer.'),
  enquiry: enquirySchema
    .optional()
    .describe('Where enquiries of this dealer go; without it, site.enquiry.'),
  legalName: text()
    .optional()
    .describe('Name of the company, where it is another than the one that visitors read.'),
  address: addressSchema.optional().describe('Where the vehicles can be seen.'),
  coordinates: coordinatesSchema.optional().describe('Where that is on a map.'),
  openingHours: openingHoursSchema
    .optional()
    .describe('When the dealer is open, in its own time zone.'),
  timeZone: timeZone()
    .optional()
    .describe('Time zone of the opening hours; without it, site.timeZone.'),
  imprint: httpUrl()
    .optional()
    .describe('Address of the page that says who answers for the website.'),
  privacy: httpUrl().optional().describe('Address of the page about privacy.'),
  website: httpUrl().optional().describe('The website that the dealer already has.'),
  colour: pattern(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as "#0b57d0"')
    .optional()
    .describe(
      'Colour of buttons and links. Made darker or lighter where text would be hard to read.',
    ),
  logo: z
    .string()
    .trim()
    .regex(/\.(?:svg|png|webp|jpe?g)$/i, 'must be a file that ends in .svg, .png, .webp or .jpg')
    .optional()
    .describe('Picture file with the logo; a relative path counts from the configuration file.'),
  stock: stockSchema
    .optional()
    .describe("The dealer's own facts (make, model, price, …), joined by number plate."),
});
