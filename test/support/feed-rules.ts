/**
 * The rules of advertising platforms, written from their documentation and not from our profiles:
 * support.google.com/merchants/answer/11192663 and 13871172, and developers.facebook.com/docs/marketing-api/auto-ads/reference.
 */
type Row = Readonly<Record<string, string>>;
type Rule = RegExp | readonly string[] | ((text: string, row: Row) => boolean);

const PRICE = /^(?!0+\.00 )\d+\.\d\d [A-Z]{3}$/;
const YEAR = /^(?:19|20)\d\d$/;
const VIN = /^[A-HJ-NPR-Z\d]{17}$/;
const JPEG = /^https?:\/\/[^\s,]+\.jpe?g$/;
const upTo = (most: number) => (text: string) => [...text].length <= most;

const GOOGLE_REQUIRED: Record<string, Rule> = {
  id: /^.{1,50}$/,
  store_code: /^[^:]{1,64}$/,
  'vehicle_fulfillment(option:store_code)': (text, row) => text === `in_store:${row.store_code}`,
  brand: upTo(70),
  model: upTo(150),
  year: YEAR,
  condition: ['used'],
  mileage: /^\d+ (?:Miles|KM)$/,
  price: PRICE,
  color: upTo(100),
  link: /^https?:\/\/\S+$/,
  link_template: (text, row) => text === `${row.link}?store={store_code}`,
  image_link: JPEG,
  google_product_category: ['Vehicles & Parts > Vehicles > Motor Vehicles > Cars, Trucks & Vans'],
};

const GOOGLE_OPTIONAL: Record<string, Rule> = {
  VIN,
  trim: upTo(150),
  body_style:
    'city_car,compact_suv,convertible,coupe,crossover,full_size_van,hatchback,limousine,minivan,notchback,sedan,station_wagon,suv,truck,ute'.split(
      ',',
    ),
  engine: 'gasoline,diesel,electric,hybrid,plug-in_hybrid,lpg,methane,natural_gas,other'.split(','),
  date_first_registered: /^\d{4}-(?:0[1-9]|1[0-2])$/,
  additional_image_link: (text) =>
    text.split(',').length <= 10 && text.split(',').every((one) => JPEG.test(one)),
};

const META_REQUIRED: Record<string, Rule> = {
  vehicle_id: upTo(100),
  title: upTo(500),
  description: upTo(5000),
  url: /^https?:\/\/\S+$/,
  make: upTo(100),
  model: upTo(100),
  year: YEAR,
  'mileage.value': /^\d+$/,
  'mileage.unit': ['MI', 'KM'],
  'image[0].url': JPEG,
  body_style:
    'CONVERTIBLE,COUPE,HATCHBACK,MINIVAN,TRUCK,SUV,SEDAN,VAN,WAGON,CROSSOVER,SMALL_CAR,OTHER'.split(
      ',',
    ),
  price: PRICE,
  exterior_color: upTo(100),
  state_of_vehicle: ['NEW', 'USED', 'CPO'],
  'address.addr1': upTo(200),
  'address.city': upTo(200),
  'address.region': upTo(200),
  'address.postal_code': upTo(20),
  'address.country': /^[A-Z]{2}$/,
};

const META_OPTIONAL: Record<string, Rule> = {
  ...Object.fromEntries(Array.from({ length: 19 }, (_, at) => [`image[${at + 1}].url`, JPEG])),
  trim: upTo(50),
  transmission: ['Automatic', 'Manual'],
  drivetrain: ['4X2', '4X4', 'AWD', 'FWD', 'RWD', 'Other'],
  fuel_type: ['DIESEL', 'ELECTRIC', 'FLEX', 'GASOLINE', 'HYBRID', 'OTHER'],
  availability: ['available', 'not available'],
  vehicle_type: ['car_truck'],
  stock_number: upTo(100),
  dealer_id: upTo(100),
  dealer_name: upTo(100),
  dealer_phone: upTo(100),
  latitude: /^-?\d+(?:\.\d+)?$/,
  longitude: /^-?\d+(?:\.\d+)?$/,
  vin: VIN,
};

const keeps = (rule: Rule, text: string, row: Row): boolean => {
  if (rule instanceof RegExp) return rule.test(text);
  return typeof rule === 'function' ? rule(text, row) : rule.includes(text);
};

/** Values that a platform would reject, by row and column. */
function violations(
  rows: readonly Row[],
  required: Record<string, Rule>,
  optional: Record<string, Rule>,
  id: string,
): string[] {
  const found: string[] = [];
  const ids = new Set<string>();
  for (const [index, row] of rows.entries()) {
    const at = (text: string) => found.push(`row ${index + 1} (${row[id]}): ${text}`);
    if (ids.has(row[id] ?? '')) at('the id is repeated');
    ids.add(row[id] ?? '');
    for (const [name, text] of Object.entries(row)) {
      const rule = required[name] ?? optional[name];
      if (!rule) at(`unknown column ${name}`);
      else if (text !== '' && !keeps(rule, text, row)) at(`${name} is "${text}"`);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      if (/[\u0000-\u001f\ufffd]/.test(text)) at(`${name} has a control character`);
    }
    for (const name of Object.keys(required)) if (!row[name]) at(`${name} is missing`);
  }
  return found;
}

export const googleViolations = (rows: readonly Row[], country: string): string[] => {
  const also = {
    ...(['FR', 'IT', 'ES', 'NL', 'DE'].includes(country) && {
      date_first_registered: /^\d{4}-\d\d$/,
    }),
    ...(['DE', 'IT', 'ES'].includes(country) && { engine: GOOGLE_OPTIONAL.engine ?? [] }),
    ...(country === 'US' && { VIN }),
  };
  return violations(rows, { ...GOOGLE_REQUIRED, ...also }, GOOGLE_OPTIONAL, 'id');
};

export const metaViolations = (rows: readonly Row[]): string[] =>
  violations(rows, META_REQUIRED, META_OPTIONAL, 'vehicle_id');
