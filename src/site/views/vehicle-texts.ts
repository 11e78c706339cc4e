import { comparablePlate } from '../../stock/plate.ts';
import type { VehicleFacts } from '../../stock/vehicle-facts.ts';
import { plateText } from '../i18n/text.ts';
import type { DealerContext } from './context.ts';
import type { VehicleTexts, VehicleView } from './view.ts';

export const NO_FACTS: VehicleFacts = {};

/** The facts of the dealer's list. */
export const factsOf = (vrm: string, { facts }: Pick<DealerContext, 'facts'>): VehicleFacts =>
  facts?.byPlate.get(comparablePlate(vrm)) ?? NO_FACTS;

/** Where a line breaks, it breaks between facts. */
const whole = (text: string): string => text.replaceAll(' ', '\u00a0');

function factTexts(facts: VehicleFacts, { texts, facts: list }: DealerContext) {
  const { year, mileage, fuel = '', transmission = '' } = facts;
  return {
    year: year === undefined ? '' : String(year),
    mileage: mileage === undefined ? '' : texts.distance(mileage, list?.mileageUnit ?? 'mi'),
    fuel,
    transmission,
  };
}

/** Name, plate, price and the line of facts of a vehicle. */
export function vehicleTexts(
  vrm: string,
  facts: VehicleFacts,
  context: DealerContext,
): VehicleTexts {
  const { texts, facts: list } = context;
  const plate = plateText(vrm, texts.words.noPlate);
  const { make, model, variant, price } = facts;
  const named = Boolean(make || model);
  const heading = named ? [make, model, variant].filter(Boolean).join(' ') : plate;
  const { year, mileage, fuel, transmission } = factTexts(facts, context);
  const currency = list?.currency ?? '';
  const written = price === undefined ? '' : texts.price(price, currency);
  return {
    plate,
    hasPlate: vrm.trim() !== '',
    name: named && facts.year !== undefined ? `${facts.year} ${heading}` : heading,
    heading,
    named,
    keyFacts: [year, mileage, fuel, transmission].filter(Boolean).map(whole).join(' · '),
    price: written,
    priceText: written || (list?.priced ? texts.words.priceOnRequest : ''),
    priceValue: price ?? 0,
    priceCurrency: price === undefined ? '' : currency,
  };
}

const KILOWATTS_OF_A_PS = 0.73549875;

const countText = (count: number | undefined) => (count === undefined ? '' : String(count));

/** All facts of the list, as a table, after the plate. */
export function factRows(
  facts: VehicleFacts,
  { plate, hasPlate, named }: Pick<VehicleTexts, 'plate' | 'hasPlate' | 'named'>,
  context: DealerContext,
): VehicleView['facts'] {
  const { texts, facts: list } = context;
  const { words, fill } = texts;
  const { year, mileage, fuel, transmission } = factTexts(facts, context);
  const { firstRegistration: registered, condition, previousPrice, power, co2 } = facts;
  const conditions = { new: words.conditionNew, used: words.conditionUsed };
  const currency = list?.currency;
  const kw = String(power);
  const hp = String(Math.round((power ?? 0) / KILOWATTS_OF_A_PS));
  return [
    // Without a name it is the heading.
    { label: words.plate, text: named && hasPlate ? plate : '' },
    {
      label: words.previousPrice,
      text: previousPrice && currency ? texts.price(previousPrice, currency) : '',
    },
    { label: words.year, text: year },
    {
      label: words.firstRegistration,
      text: registered ? registered.split('-').reverse().join('/') : '',
    },
    { label: words.condition, text: condition ? conditions[condition] : '' },
    { label: words.mileage, text: mileage },
    { label: words.fuel, text: fuel },
    { label: words.transmission, text: transmission },
    { label: words.colour, text: facts.colour ?? '' },
    { label: words.body, text: facts.body ?? '' },
    { label: words.power, text: power ? fill(words.powerText, { kw, hp }) : '' },
    { label: words.engine, text: facts.engine ?? '' },
    { label: words.drivetrain, text: facts.drivetrain ?? '' },
    { label: words.doors, text: countText(facts.doors) },
    { label: words.seats, text: countText(facts.seats) },
    { label: words.owners, text: countText(facts.owners) },
    { label: words.consumption, text: facts.consumption ?? '' },
    { label: words.co2, text: co2 === undefined ? '' : `${co2} g/km` },
    { label: words.co2Class, text: facts.co2Class ?? '' },
    { label: words.stockId, text: facts.stockId ?? '' },
  ].filter(({ text }) => text !== '');
}
