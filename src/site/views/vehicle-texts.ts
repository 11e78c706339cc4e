import { KILOWATTS } from '../../stock/cells.ts';
import type { ControlRow } from '../../stock/control.ts';
import { atPlate } from '../../stock/plate.ts';
import { shownValue, type ValuedFact } from '../../stock/values.ts';
import type { VehicleFacts } from '../../stock/vehicle-facts.ts';
import { plateText } from '../i18n/text.ts';
import type { DealerContext } from './context.ts';
import { TRANSLATED } from './facets.ts';
import type { VehicleTexts, VehicleView } from './view.ts';

/** Facts of the stock list, and the dealer's decisions about the vehicle, which override the list. */
export type ShownFacts = VehicleFacts & Pick<ControlRow, 'status' | 'title' | 'order'>;

const NO_FACTS: ShownFacts = {};

/** The facts of a vehicle. @param recordedFacts facts of its record, if the stock list no longer has them. */
export function factsOf(
  vrm: string,
  { facts, control }: Pick<DealerContext, 'facts' | 'control'>,
  recordedFacts?: VehicleFacts,
): ShownFacts {
  const listFacts = recordedFacts ?? (facts && atPlate(facts.byPlate, vrm)) ?? NO_FACTS;
  const { status, title, order } = atPlate(control, vrm) ?? {};
  const decisions = {
    ...(status && { status }),
    ...(title && { title }),
    ...(order !== undefined && { order }),
  };
  return Object.keys(decisions).length > 0 ? { ...listFacts, ...decisions } : listFacts;
}

/** Facts with standard values in the language of the page, and the keys of these values. */
export function valuesOf(facts: VehicleFacts, { texts, dealer }: DealerContext) {
  const from = dealer.stock?.locale ?? 'en';
  const to = texts.lang;
  const displayTexts: Partial<Record<ValuedFact, string>> = {};
  const standard: Partial<Record<ValuedFact, string>> = {};
  for (const fact of TRANSLATED) {
    const text = facts[fact];
    if (text === undefined) continue;
    const { text: shownText, key } = shownValue(fact, text, { from, to });
    displayTexts[fact] = shownText;
    if (key !== undefined) standard[fact] = key;
  }
  return { ...displayTexts, standard };
}

/** A text whose lines do not end after the hyphen of a short word, such as `C-Class`, by a word joiner. */
const joined = (text: string): string =>
  text.replace(/(?<![\p{L}\p{N}])[\p{L}\p{N}]{1,4}-(?=[\p{L}\p{N}])/gu, '$&\u2060');

/** A fact without line breaks. Lines break only between facts, and never begin with a dot. */
const unbreakable = (text: string): string => joined(text).replaceAll(' ', '\u00a0');

export function factTexts(facts: ShownFacts, context: DealerContext) {
  const { texts, facts: list } = context;
  const { year, mileage } = facts;
  const values = valuesOf(facts, context);
  const { fuel = '', transmission = '', colour = '', body = '', drivetrain = '' } = values;
  return {
    year: year === undefined ? '' : String(year),
    mileage: mileage === undefined ? '' : texts.distance(mileage, list?.mileageUnit ?? 'mi'),
    fuel,
    transmission,
    colour,
    body,
    drivetrain,
  };
}

/** Name, plate, price and the line of facts of a vehicle. */
export function vehicleTexts(vrm: string, facts: ShownFacts, context: DealerContext): VehicleTexts {
  const { texts, plates, facts: list } = context;
  const isHidden = plates === 'hide';
  const plate = isHidden ? '' : plateText(vrm, texts.words.noPlate);
  const { make, model, variant, title, status = 'available', price } = facts;
  const named = Boolean(title || make || model);
  const listName = [make, model, variant].filter(Boolean).join(' ');
  const fallback = isHidden ? `${texts.words.vehicle} ${vrm.slice(2, 8)}` : plate;
  const heading = title ?? (named ? listName : fallback);
  const { year, mileage, fuel, transmission } = factTexts(facts, context);
  const currency = list?.currency ?? '';
  const formattedPrice = price === undefined ? '' : texts.price(price, currency);
  return {
    plate,
    hasPlate: !isHidden && vrm.trim() !== '',
    name: named && !title && facts.year !== undefined ? `${facts.year} ${heading}` : heading,
    heading: named ? joined(heading) : heading,
    named,
    status,
    statusText: status === 'available' ? '' : texts.words[status],
    keyFacts: [year, mileage, fuel, transmission].filter(Boolean).map(unbreakable).join('\u00a0· '),
    price: formattedPrice,
    priceText:
      formattedPrice || (list?.prices && status !== 'sold' ? texts.words.priceOnRequest : ''),
    priceValue: price ?? 0,
    priceCurrency: price === undefined ? '' : currency,
  };
}

/** The stock number, otherwise the plate. Platforms compare it in feeds, JSON-LD and the text of the page. */
export const idOf = ({ stockId }: VehicleFacts, { hasPlate, plate }: VehicleTexts) =>
  stockId ?? (hasPlate ? plate : undefined);

const countText = (count: number | undefined) => (count === undefined ? '' : String(count));

/** All facts of the list, as a table, after the plate. */
export function factRows(
  facts: ShownFacts,
  { plate, hasPlate, named }: Pick<VehicleTexts, 'plate' | 'hasPlate' | 'named'>,
  context: DealerContext,
): VehicleView['facts'] {
  const { texts, facts: list } = context;
  const { words, fill } = texts;
  const { year, mileage, fuel, transmission, colour, body, drivetrain } = factTexts(facts, context);
  const { firstRegistration: registered, condition, previousPrice, power, co2 } = facts;
  const conditions = { new: words.conditionNew, used: words.conditionUsed };
  const currency = list?.currency;
  const kw = String(power);
  const unit = new Intl.Locale(texts.lang).language === 'en' ? 'bhp' : 'ps';
  const hp = String(Math.round((power ?? 0) / KILOWATTS[unit]));
  return [
    // Without a name, the plate is the heading.
    { label: words.plate, text: named && hasPlate ? plate : '' },
    {
      label: words.previousPrice,
      // Without a price, visitors would take it for the price.
      text: previousPrice && facts.price && currency ? texts.price(previousPrice, currency) : '',
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
    { label: words.colour, text: colour },
    { label: words.body, text: body },
    { label: words.power, text: power ? fill(words.powerText, { kw, hp }) : '' },
    { label: words.engine, text: facts.engine ?? '' },
    { label: words.drivetrain, text: drivetrain },
    { label: words.doors, text: countText(facts.doors) },
    { label: words.seats, text: countText(facts.seats) },
    { label: words.owners, text: countText(facts.owners) },
    { label: words.consumption, text: facts.consumption ?? '' },
    { label: words.co2, text: co2 === undefined ? '' : `${texts.number(co2)} g/km` },
    { label: words.co2Class, text: facts.co2Class ?? '' },
    { label: words.stockId, text: facts.stockId ?? '' },
  ].filter(({ text }) => text !== '');
}
