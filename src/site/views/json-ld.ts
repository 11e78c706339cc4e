import type {
  AutoDealer,
  BreadcrumbList,
  Car,
  ImageObject,
  OpeningHoursSpecification,
  WebSite,
  WithContext,
} from 'schema-dts';
import {
  exceptionsOf,
  type OpeningHours,
  type OpenTime,
  weekOf,
} from '../../config/opening-hours.ts';
import type { VehicleFacts, VehicleStatus } from '../../stock/vehicle-facts.ts';
import type { DealerContext, SiteContext } from './context.ts';
import { mapOf } from './footer.ts';
import { idOf, type ShownFacts, valuesOf } from './vehicle-texts.ts';
import type { VehicleTexts, VehicleView } from './view.ts';

/** Maximum number of pictures in JSON-LD. 100 would add 20 kB to a page. */
const PICTURES = 10;

const CONDITIONS = {
  new: 'https://schema.org/NewCondition',
  used: 'https://schema.org/UsedCondition',
} as const;

function engineThing({ engine, power }: VehicleFacts) {
  if (!engine && !power) return undefined;
  const enginePower = { '@type': 'QuantitativeValue' as const, value: power ?? 0, unitCode: 'KWT' };
  return {
    '@type': 'EngineSpecification' as const,
    name: engine || undefined,
    ...(power && { enginePower }),
  };
}

/** Terms of schema.org for the status of a vehicle. */
const AVAILABILITY = {
  available: 'https://schema.org/InStock',
  reserved: 'https://schema.org/Reserved',
  sold: 'https://schema.org/SoldOut',
} as const satisfies Record<VehicleStatus, string>;

/** UN/CEFACT codes, which schema.org requires. */
const UNIT_CODE = { mi: 'SMI', km: 'KMT' } as const;

/**
 * JSON for a script element. `<` is escaped, so that no text can close the element, and so are the two
 * line separators that old parsers treat as line ends.
 */
export const jsonForScript = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const DAY_NAMES = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;

/** The end of a day is written as its last minute, as schema.org has no 24:00. */
const clock = (minutes: number): string =>
  new Date(Math.min(minutes, 1439) * 60_000).toISOString().slice(11, 16);

/** Address, coordinates and opening hours, as far as they are configured. */
function placeThing({ address, coordinates, openingHours }: DealerContext['dealer']) {
  const { street, postalCode, city, region, country } = address ?? {};
  return {
    ...(address && {
      address: {
        '@type': 'PostalAddress' as const,
        streetAddress: street,
        ...(postalCode && { postalCode }),
        addressLocality: city,
        ...(region && { addressRegion: region }),
        addressCountry: country,
      },
    }),
    ...(coordinates && { geo: { '@type': 'GeoCoordinates' as const, ...coordinates } }),
    ...(openingHours && { openingHoursSpecification: hoursThing(openingHours) }),
  };
}

function hoursThing(hours: OpeningHours): OpeningHoursSpecification[] {
  const open = (times: OpenTime, rest: object): OpeningHoursSpecification => ({
    '@type': 'OpeningHoursSpecification',
    opens: clock(times[0]),
    closes: clock(times[1]),
    ...rest,
  });
  const week = weekOf(hours).flatMap((times, day) =>
    times.map((time) => open(time, { dayOfWeek: DAY_NAMES[day] })),
  );
  const exceptions = exceptionsOf(hours).flatMap(([date, times]) => {
    const rest = { validFrom: date, validThrough: date };
    // Closed all day is written as from midnight to midnight, as search engines require.
    return (times.length > 0 ? times : [[0, 0] as const]).map((time) => open(time, rest));
  });
  return [...week, ...exceptions];
}

function dealerThing({ dealer, link, place }: DealerContext): AutoDealer {
  const { phone, email } = dealer.contact ?? {};
  return {
    '@type': 'AutoDealer',
    // The same in all languages.
    '@id': `${place.origin}${place.root}/${dealer.slug}/#dealer`,
    name: dealer.name,
    legalName: dealer.legalName || undefined,
    url: `${place.origin}${link.url}`,
    telephone: phone || undefined,
    email: email || undefined,
    sameAs: dealer.website || undefined,
    ...placeThing(dealer),
    ...(mapOf(dealer) && { hasMap: mapOf(dealer) }),
  };
}

/** A step of the breadcrumbs. The page itself needs no URL. */
interface Step {
  name: string;
  /** Absolute. */
  item?: string;
}

const trailThing = (steps: readonly Step[]): WithContext<BreadcrumbList> => ({
  '@context': 'https://schema.org',
  '@type': 'BreadcrumbList',
  itemListElement: steps.map((step, index) => ({
    '@type': 'ListItem',
    position: index + 1,
    ...step,
  })),
});

/** The breadcrumbs of a page for search engines. */
export const breadcrumbs = (steps: readonly Step[]): string => jsonForScript(trailThing(steps));

/**
 * A vehicle for search engines. Videos are left out, because a `VideoObject` requires the date of its upload, which
 * the service does not have.
 */
export function vehicleJsonLd(
  vehicle: VehicleTexts &
    Pick<VehicleView, 'canonical' | 'description' | 'slug' | 'pictures' | 'make'>,
  facts: ShownFacts,
  context: DealerContext,
): string {
  const { canonical, name, slug, plate, hasPlate, pictures, make } = vehicle;
  const { dealer, link, place, facts: list } = context;
  const { fuel, transmission, colour, body } = valuesOf(facts, context);
  const hasOffer = facts.price !== undefined && list !== undefined;
  const car = {
    '@context': 'https://schema.org',
    // Search engines show the price of a Product, and report an error if it has none.
    '@type': hasOffer ? ['Car', 'Product'] : 'Car',
    name,
    url: canonical,
    ...(hasOffer && { sku: idOf(facts, vehicle) ?? slug }),
    ...(hasPlate && {
      identifier: { '@type': 'PropertyValue', propertyID: 'registration', value: plate },
    }),
    ...(pictures.length > 0 && {
      image: pictures.slice(0, PICTURES).map(
        (picture): ImageObject => ({
          '@type': 'ImageObject',
          contentUrl: `${place.origin}${picture.src}`,
          caption: picture.alt,
        }),
      ),
    }),
    ...(facts.make && { brand: { '@type': 'Brand', name: facts.make } }),
    model: facts.model || undefined,
    vehicleConfiguration: facts.variant || undefined,
    ...(facts.year && { vehicleModelDate: String(facts.year) }),
    fuelType: fuel,
    vehicleTransmission: transmission,
    color: colour,
    bodyType: body,
    description: facts.description || vehicle.description,
    ...(facts.equipment && {
      additionalProperty: {
        '@type': 'PropertyValue',
        name: 'equipment',
        // The types of schema.org allow one value, but JSON-LD allows a list for every property.
        value: facts.equipment as unknown as string,
      },
    }),
    dateVehicleFirstRegistered: facts.firstRegistration || undefined,
    ...(facts.condition && { itemCondition: CONDITIONS[facts.condition] }),
    numberOfDoors: facts.doors,
    vehicleSeatingCapacity: facts.seats,
    numberOfPreviousOwners: facts.owners,
    driveWheelConfiguration: facts.drivetrain || undefined,
    emissionsCO2: facts.co2,
    vehicleEngine: engineThing(facts),
    ...(facts.mileage !== undefined &&
      list && {
        mileageFromOdometer: {
          '@type': 'QuantitativeValue',
          value: facts.mileage,
          unitCode: UNIT_CODE[list.mileageUnit],
        },
      }),
    ...(hasOffer && {
      offers: {
        '@type': 'Offer',
        price: facts.price,
        priceCurrency: list.currency,
        availability: AVAILABILITY[facts.status ?? 'available'],
        url: facts.link ?? canonical,
        seller: dealerThing(context),
      },
    }),
  } satisfies Omit<WithContext<Car>, '@type'> & { '@type': string | string[] };
  const trail = trailThing([
    { name: dealer.name, item: `${place.origin}${link.url}` },
    ...(make ? [{ name: make.name, item: `${place.origin}${make.url}` }] : []),
    { name },
  ]);
  return jsonForScript([car, trail]);
}

/** The site, whose name search engines show beside its pages. */
const siteThing = ({ title, place }: SiteContext): WithContext<WebSite> => ({
  '@context': 'https://schema.org',
  '@type': 'WebSite',
  name: title,
  url: `${place.origin}${place.base}/`,
});

/** The front page for search engines. */
export const siteJsonLd = (context: SiteContext): string => jsonForScript(siteThing(context));

/** A dealer for search engines. Its list can also be the front page. */
export function dealerJsonLd(context: DealerContext): string {
  const { assets, dealer, place, frontIsList } = context;
  const logo = assets.logo(dealer);
  const thing = {
    '@context': 'https://schema.org',
    ...(dealerThing(context) as object),
    ...(logo && { logo: `${place.origin}${logo.src}` }),
  };
  return jsonForScript(frontIsList ? [siteThing(context), thing] : thing);
}
