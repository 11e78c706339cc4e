import { z } from 'zod';
import {
  colour,
  envName,
  httpUrl,
  isSafeAddress,
  localeTag,
  logo,
  pattern,
  slug,
  text,
  timeZone,
  wholeNumber,
} from './forms.ts';
import { enquirySchema } from './opened-sources.ts';
import { openingHoursSchema } from './opening-hours.ts';

const contactSchema = z.strictObject({
  phone: pattern(
    /^\+?(?:[ ()./-]{0,4}[0-9]){4,15}$/,
    'must be one telephone number such as "+44 1632 960001"',
  )
    .optional()
    .describe('Phone number, as visitors see it.'),
  whatsapp: pattern(
    /^\+?[1-9][0-9 ]{5,19}$/,
    'must be a number in international form such as "+447700900001"',
  )
    .optional()
    .describe('WhatsApp number in international form.'),
  email: z.email().optional().describe('E-mail address for enquiries.'),
});

/** Columns that a stock list can have, with their content. */
const COLUMNS = {
  plate: 'number plate',
  vin: 'VIN: joins rows without a plate. It is not shown',
  stockId: "the dealer's number of the vehicle: joins rows without a plate",
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
  consumption: 'consumption, with its unit',
  co2: 'CO₂ emissions in g/km',
  co2Class: 'CO₂ class, shown unchanged',
  equipment: 'equipment, separated by bars, semicolons, lines or commas',
  description: 'description (HTML becomes plain text)',
  link: "URL of the vehicle on the dealer's website",
  status: 'status: available, reserved or sold',
} as const;

export type StockColumn = keyof typeof COLUMNS;
export const STOCK_COLUMNS = Object.keys(COLUMNS) as StockColumn[];

const columnName = (content: string) =>
  text().optional().describe(`Heading of the column with the ${content}.`);

const columnsSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(COLUMNS).map(([column, content]) => [column, columnName(content)]),
  ) as Record<StockColumn, ReturnType<typeof columnName>>,
);

const stockSchema = z.strictObject({
  file: text()
    // A stock list contains the prices that customers see, so it must not be fetched over plain http.
    .refine(
      (file) => !/^https?:/i.test(file) || (URL.canParse(file) && isSafeAddress(file)),
      'must begin with https://, or be a file',
    )
    .refine(
      (file) => !/^https?:\/\/[^/?#]*@/i.test(file),
      'must contain no password. Use credentialsEnv',
    )
    .describe(
      'File with the list: CSV or TSV with a heading row, or JSON. Encoding, delimiter and decimal separator are detected. In a folder, the newest .csv, .tsv, .txt or .json file is read. A relative path counts from the configuration file. Each build fetches a URL that begins with https://.',
    ),
  credentialsEnv: envName()
    .optional()
    .describe(
      'Environment variable with the credentials for an https:// URL: a token, or NAME:PASSWORD.',
    ),
  columns: columnsSchema.prefault({}).describe(
    `Headings of columns that are not recognised, by field, such as { "price": "Retail" }. Letter case is ignored. Fields: ${Object.entries(
      COLUMNS,
    )
      .map(([column, content]) => `${column} (${content})`)
      .join('; ')}.`,
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
      "Currency of the prices. Default: the currency in the list, otherwise the currency of the locale's country.",
    ),
  locale: localeTag()
    .optional()
    .describe(
      'Language and region of the list. Used if its decimal separator, currency, mileage unit or encoding is ambiguous. Default: site.locale.',
    ),
});

const addressSchema = z.strictObject({
  street: text().describe('Street and number.'),
  postalCode: text().optional().describe('Postal code.'),
  city: text().describe('Town.'),
  region: text().optional().describe('County or state.'),
  country: pattern(
    /^(?!UK)[A-Z]{2}$/,
    'must be a country code such as "GB" (United Kingdom) or "DE"',
  ).describe('Country, ISO 3166-1.'),
});

const coordinatesSchema = z.strictObject({
  latitude: z.number().min(-90).max(90).describe('Degrees north.'),
  longitude: z.number().min(-180).max(180).describe('Degrees east.'),
});

export const dealerSchema = z.strictObject({
  id: wholeNumber(0, Number.MAX_SAFE_INTEGER).describe(
    'Id of the dealer at the service (dealerId).',
  ),
  name: text().describe('Name that visitors see.'),
  slug: slug().describe("First part of the URLs of the dealer's pages. Never change it."),
  apiKeyEnv: envName()
    .default('MEDIA_API_KEY')
    .describe('Name of the environment variable that holds the API key.'),
  contact: contactSchema.optional().describe('Contacts of the dealer.'),
  enquiry: enquirySchema
    .optional()
    .describe("Destination of this dealer's enquiries. Default: site.enquiry."),
  legalName: text()
    .optional()
    .describe('Name of the company, if it differs from the name of the dealer.'),
  address: addressSchema.optional().describe('Address where visitors can see the vehicles.'),
  coordinates: coordinatesSchema.optional().describe('Coordinates of the address.'),
  openingHours: openingHoursSchema
    .optional()
    .describe('Opening hours, in the time zone of the dealer.'),
  timeZone: timeZone()
    .optional()
    .describe('Time zone of the opening hours. Default: site.timeZone.'),
  imprint: httpUrl().optional().describe("URL of the dealer's imprint."),
  privacy: httpUrl().optional().describe("URL of the dealer's privacy notice."),
  website: httpUrl().optional().describe("URL of the dealer's existing website."),
  colour: colour()
    .optional()
    .describe(
      'Colour of buttons and links. It is made darker or lighter if text would be hard to read.',
    ),
  logo: logo()
    .optional()
    .describe('Picture file with the logo. A relative path counts from the configuration file.'),
  storeCode: pattern(/^[\x21-\x39\x3b-\x7e]{1,64}$/, 'must be the code of a store, without ":"')
    .optional()
    .describe(
      "Store code in the dealer's Google Business Profile, for feeds of Google vehicle ads.",
    ),
  stock: stockSchema
    .optional()
    .describe(
      "The dealer's own facts (make, model, price, …), joined by number plate, VIN or stock number.",
    ),
});
