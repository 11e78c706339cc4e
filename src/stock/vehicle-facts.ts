import { z } from 'zod';
import { LONGEST } from '../contract/media.ts';

export const LONGEST_TEXT = 120;
export const LONGEST_DESCRIPTION = 5000;
export const MOST_EQUIPMENT = 100;

export const STATUSES = ['available', 'reserved', 'sold'] as const;
export type VehicleStatus = (typeof STATUSES)[number];

const text = z.string().min(1).max(LONGEST_TEXT);
const count = z.int().min(0);
const amount = z.number().min(0);

/** Facts of a vehicle from the dealer's stock list. The service knows only the plate. */
export const vehicleFactsSchema = z
  .strictObject({
    make: text,
    model: text,
    variant: text,
    year: count,
    firstRegistration: z.string().regex(/^\d{4}-\d\d$/),
    /** In the currency of the list. */
    price: amount,
    previousPrice: amount,
    /** In the unit of the list. */
    mileage: amount,
    fuel: text,
    transmission: text,
    colour: text,
    /** Kind of body, such as `Estate`. */
    body: text,
    condition: z.enum(['new', 'used']),
    doors: count,
    seats: count,
    owners: count,
    /** Displacement with its unit, or a name. */
    engine: text,
    /** Kilowatts. */
    power: amount,
    drivetrain: text,
    /** As written in the list, with a unit if the list has none. */
    consumption: text,
    /** Grams per kilometre. */
    co2: amount,
    /** As written in the list. */
    co2Class: text,
    equipment: z.array(text).max(MOST_EQUIPMENT),
    /** Plain text. Line breaks separate its paragraphs. */
    description: z.string().min(1).max(LONGEST_DESCRIPTION),
    stockId: text,
    /** Identifies rows and is part of feeds. Pages and records do not have it, because some countries protect it. */
    vin: text,
    /** The vehicle's page on the dealer's website, http(s). */
    link: z.string().max(LONGEST.address),
    status: z.enum(STATUSES),
  })
  .partial();

export type VehicleFacts = z.infer<typeof vehicleFactsSchema>;

/** The facts that records store. */
export const recordedFactsSchema = vehicleFactsSchema.omit({ vin: true });

/** Their names, in the order of the schema. */
export const RECORDED_FACTS = Object.keys(recordedFactsSchema.shape) as (keyof z.infer<
  typeof recordedFactsSchema
>)[];
