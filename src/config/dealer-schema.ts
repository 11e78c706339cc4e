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

/** Columns that a stock list can have, and what is in them. */
const COLUMNS = {
  plate: 'number plate',
  vin: 'VIN, which joins rows where there is no plate and is not shown',
  stockId: "dealer's own number of the vehicle, which joins rows where there is no plate",
  make: 'make',
  model: 'model',
  variant: 'variant, such as "1.0 EcoBoost Titanium"',
  year: 'model year',
  firstRegistration: 'year and month of the first registration',
  price: 'price',
  previousPrice: 'previous price',
  mileage: 'mileage',
  fuel: 'fuel',
  transmission: 'transmission',
  colour: 'colour',
  body: 'body, such as "Estate"',
  condition: 'condition: new or used',
  doors: 'number of doors',
  seats: 'number of seats',
  owners: 'number of previous owners',
  engine: 'displacement or name of the engine',
  power: 'power, in kW unless heading or cell name another unit',
  drivetrain: 'drivetrain, such as "AWD"',
  consumption: 'consumption, which is shown as it is written',
  co2: 'CO₂ emissions in g/km',
  co2Class: 'CO₂ class, which is shown as it is written',
  equipment: 'equipment, separated by bars, semicolons or commas',
  description: 'description; HTML becomes plain text',
  link: "address of the dealer's own page of the vehicle",
  status: 'status: available, reserved or sold',
} as const;

export type StockColumn = keyof typeof COLUMNS;

const columnName = (content: string) =>
  text().optional().describe(`Heading of the column with the ${content}.`);

const columnsSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(COLUMNS).map(([column, content]) => [column, columnName(content)]),
  ) as Record<StockColumn, ReturnType<typeof columnName>>,
);

const stockSchema = z.strictObject({
  file: text().describe(
    'File with the list: CSV or TSV with a heading row, or JSON. Encoding, delimiter and decimal separator are detected. Of a folder, the newest .csv, .tsv, .txt or .json file is read. A relative path counts from the configuration file.',
  ),
  columns: columnsSchema
    .prefault({})
    .describe(
      'Headings of columns that are not recognised. Common headings need no setting; the doctor shows which column is read as which field. Letter case is ignored.',
    ),
  onlyListed: z
    .boolean()
    .default(false)
    .describe(
      'Whether vehicles without a row in the list are withdrawn. A list that cannot be used withdraws nothing.',
    ),
  currency: pattern(/^[A-Z]{3}$/, 'must be a currency code such as "GBP"')
    .optional()
    .describe(
      'Currency of the prices; without it, the one that the list names, or else that of the country that the locale names.',
    ),
  locale: localeTag()
    .optional()
    .describe(
      'Language and region of the list, which decide where the numbers do not show it: decimal separator, currency and unit of mileage; without it, site.locale.',
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
    .describe(
      "The dealer's own facts (make, model, price, …), joined by number plate, VIN or stock number.",
    ),
});
