import type { VehicleFacts } from '../../stock/facts.ts';
import { comparablePlate } from '../../stock/plate.ts';
import { standardValue, translated, type ValuedFact } from '../../stock/values.ts';
import { plateText } from '../i18n/text.ts';
import type { DealerContext } from './context.ts';
import type { VehicleTexts, VehicleView } from './view.ts';

export const NO_FACTS: VehicleFacts = {};

/** The facts of the dealer's list. A price of 0 is how such lists say that there is none. */
export function factsOf(vrm: string, { facts }: Pick<DealerContext, 'facts'>): VehicleFacts {
  const found = facts?.byPlate.get(comparablePlate(vrm)) ?? NO_FACTS;
  if (found.price !== 0) return found;
  const { price: _, ...others } = found;
  return others;
}

/** Facts with standard values in the language of the page, and the keys of these values. */
export function valuesOf(facts: VehicleFacts, { texts, dealer }: DealerContext) {
  const [from, to] = [dealer.stock?.locale ?? 'en', texts.lang];
  const shown: Partial<Record<ValuedFact, string>> = {};
  const standard: Partial<Record<ValuedFact, string>> = {};
  for (const fact of ['fuel', 'transmission', 'body', 'colour'] as const) {
    const text = facts[fact];
    if (text === undefined) continue;
    shown[fact] = translated(fact, text, { from, to });
    const value = standardValue(fact, text, from);
    if (value) standard[fact] = value.key;
  }
  return { ...shown, standard };
}

/** Where a line breaks, it breaks between facts. */
const whole = (text: string): string => text.replaceAll(' ', '\u00a0');

function factTexts(facts: VehicleFacts, context: DealerContext) {
  const { texts, facts: list } = context;
  const { year, mileage } = facts;
  const { fuel = '', transmission = '', colour = '', body = '' } = valuesOf(facts, context);
  return {
    year: year === undefined ? '' : String(year),
    mileage: mileage === undefined ? '' : texts.distance(mileage, list?.mileageUnit ?? 'mi'),
    ...{ fuel, transmission, colour, body },
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

/** All facts of the list, as a table, after the plate. */
export function factRows(
  facts: VehicleFacts,
  { plate, hasPlate, named }: Pick<VehicleTexts, 'plate' | 'hasPlate' | 'named'>,
  context: DealerContext,
): VehicleView['facts'] {
  const { words } = context.texts;
  const { year, mileage, fuel, transmission, colour, body } = factTexts(facts, context);
  return [
    // Without a name it is the heading.
    { label: words.plate, text: named && hasPlate ? plate : '' },
    { label: words.year, text: year },
    { label: words.mileage, text: mileage },
    { label: words.fuel, text: fuel },
    { label: words.transmission, text: transmission },
    { label: words.colour, text: colour },
    { label: words.body, text: body },
  ].filter(({ text }) => text !== '');
}
