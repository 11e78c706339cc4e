import { z } from 'zod';
import type { DealerFacts } from '../stock/facts.ts';
import { recordedFactsSchema } from '../stock/vehicle-facts.ts';
import { type Withdrawn, withdrawnSchema } from '../stock/withdrawn.ts';
import { contentRowSchema, type PictureRows, sourceRowSchema } from './pictures.ts';
import { publicVehicleSchema } from './vehicle.ts';

/**
 * The record of a dealer: its stored state between builds and machines. It is published with the site, so it
 * contains only public data of pages, and hashes. It does not contain times of requests, so the same stock gives
 * the same record.
 */
export interface DealerRecord extends PictureRows {
  /** Id of the dealer at the service. */
  dealer: number;
  /** Vehicles that an accepted response no longer listed. Their pages stay for a while. */
  withdrawn: readonly Withdrawn[];
  /** Vehicles of the last accepted response, with their facts. */
  vehicles: readonly RecordedVehicle[];
  /** Facts about the stock list. */
  list?: RecordedList;
}

const amount = z.number().min(0);

/** A vehicle with its facts from the stock list. */
const recordedVehicleSchema = publicVehicleSchema.extend({
  facts: recordedFactsSchema.optional(),
  omitted: z
    .strictObject({ price: amount, mileage: amount })
    .partial()
    .optional()
    .describe('Last accepted values of facts that were left out since.'),
  factsChanged: z.iso
    .datetime()
    .optional()
    .describe('When a build first used these facts, UTC. Absent after the first list.'),
});

export type RecordedVehicle = z.infer<typeof recordedVehicleSchema>;

const listSchema = z.strictObject({
  rows: z.int().min(0),
  prices: z.int().min(0),
  currency: z.string().regex(/^(?:[A-Z]{3})?$/),
  mileageUnit: z.enum(['mi', 'km']),
  endsWithNewline: z.boolean(),
  hash: z.string().regex(/^[A-Za-z0-9_-]{22}$/),
  since: z.iso.date().describe('When a list with this content was first read.'),
}) satisfies z.ZodType<Omit<DealerFacts, 'byPlate'>>;

type RecordedList = z.infer<typeof listSchema>;

/** Version of the format of records and their pieces. Raise it with every change. */
export const VERSION = 7;

const headSchema = z.strictObject({
  withdrawn: z.array(withdrawnSchema),
  list: listSchema.optional(),
});

/** Schemas of a record's lines, by their kind. */
export const LINES = {
  head: headSchema,
  vehicle: recordedVehicleSchema,
  content: contentRowSchema,
  source: sourceRowSchema,
} as const;

export const pieceSchema = z.strictObject({
  version: z.literal(VERSION),
  dealer: z.int(),
  /** Number of this piece. */
  piece: z.int().min(1),
  /** In the first piece: checksums of the others. */
  rest: z
    .array(z.string().regex(/^[A-Za-z0-9_-]{22}$/))
    .max(999)
    .optional(),
  lines: z.array(z.tuple([z.enum(['head', 'vehicle', 'content', 'source']), z.unknown()])),
  /** Checksum of all text before it. */
  sum: z.string(),
});

/** A piece whose lines are not checked again, see `readRecord`. */
export const signedPieceSchema = pieceSchema.extend({
  lines: z.custom<z.infer<typeof pieceSchema>['lines']>(),
});
