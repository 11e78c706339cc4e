import type { ControlRow } from '../../stock/control.ts';
import { comparablePlate } from '../../stock/plate.ts';
import type { VehicleFacts } from '../../stock/vehicle-facts.ts';
import { plateText } from '../i18n/text.ts';
import type { DealerContext } from './context.ts';
import type { VehicleTexts, VehicleView } from './view.ts';

/** Facts of the dealer's list, and the dealer's decisions about the vehicle, which override the list. */
export type ShownFacts = VehicleFacts & Pick<ControlRow, 'status' | 'title' | 'order'>;

export const NO_FACTS: ShownFacts = {};

/** The facts of a vehicle. */
export function factsOf(
  vrm: string,
  { facts, control }: Pick<DealerContext, 'facts' | 'control'>,
): ShownFacts {
  const plate = comparablePlate(vrm);
  const listed = facts?.byPlate.get(plate) ?? NO_FACTS;
  const { status, title, order } = control.get(plate) ?? {};
  const decided = {
    ...(status && { status }),
    ...(title && { title }),
    ...(order !== undefined && { order }),
  };
  return Object.keys(decided).length > 0 ? { ...listed, ...decided } : listed;
}

/** Where a line breaks, it breaks between facts. */
const whole = (text: string): string => text.replaceAll(' ', '\u00a0');

function factTexts(facts: ShownFacts, { texts, facts: list }: DealerContext) {
  const { year, mileage, fuel = '', transmission = '' } = facts;
  return {
    year: year === undefined ? '' : String(year),
    mileage: mileage === undefined ? '' : texts.distance(mileage, list?.mileageUnit ?? 'mi'),
    fuel,
    transmission,
  };
}

/** Name, plate, price and the line of facts of a vehicle. */
export function vehicleTexts(vrm: string, facts: ShownFacts, context: DealerContext): VehicleTexts {
  const { texts, plates, facts: list } = context;
  const isHidden = plates === 'hide';
  const plate = isHidden ? '' : plateText(vrm, texts.words.noPlate);
  const { make, model, variant, title, status = 'available', price } = facts;
  const named = Boolean(title || make || model);
  const listed = [make, model, variant].filter(Boolean).join(' ');
  const unnamed = isHidden ? `${texts.words.vehicle} ${vrm.slice(2, 8)}` : plate;
  const heading = title ?? (named ? listed : unnamed);
  const { year, mileage, fuel, transmission } = factTexts(facts, context);
  const currency = list?.currency ?? '';
  const written = price === undefined ? '' : texts.price(price, currency);
  return {
    plate,
    hasPlate: !isHidden && vrm.trim() !== '',
    name: named && !title && facts.year !== undefined ? `${facts.year} ${heading}` : heading,
    heading,
    named,
    status,
    statusText: status === 'available' ? '' : texts.words[status],
    keyFacts: [year, mileage, fuel, transmission].filter(Boolean).map(whole).join(' · '),
    price: written,
    priceText: written || (list?.priced ? texts.words.priceOnRequest : ''),
    priceValue: price ?? 0,
    priceCurrency: price === undefined ? '' : currency,
  };
}

/** All facts of the list, as a table, after the plate. */
export function factRows(
  facts: ShownFacts,
  { plate, hasPlate, named }: Pick<VehicleTexts, 'plate' | 'hasPlate' | 'named'>,
  context: DealerContext,
): VehicleView['facts'] {
  const { words } = context.texts;
  const { year, mileage, fuel, transmission } = factTexts(facts, context);
  return [
    // Without a name it is the heading.
    { label: words.plate, text: named && hasPlate ? plate : '' },
    { label: words.year, text: year },
    { label: words.mileage, text: mileage },
    { label: words.fuel, text: fuel },
    { label: words.transmission, text: transmission },
    { label: words.colour, text: facts.colour ?? '' },
    { label: words.body, text: facts.body ?? '' },
  ].filter(({ text }) => text !== '');
}
