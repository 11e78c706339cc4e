import { z } from 'zod';
import { OUTPUT_SUFFIX } from '../config/image-formats.ts';
import { VALIDATOR } from '../download/validator.ts';

/**
 * Pictures in a record, as rows, because objects take twice the bytes and twice the time to read. A source is a
 * picture of a vehicle at a URL. Its content is the downloaded bytes.
 */

/** Hash of a picture's bytes. */
export const hashSchema = z.string().regex(/^[0-9a-f]{20}$/);
/** Width or height in pixels. */
export const sideSchema = z.int().min(1).max(1_000_000_000);
/** Six hexadecimal digits. */
export const colourSchema = z.string().regex(/^[0-9a-f]{6}$/);

/** Size in base 36, a hyphen, and SHA-1, to verify bytes from the published site. */
export const fingerprintSchema = z.string().regex(/^[0-9a-z]{1,10}-[A-Za-z0-9_-]{27}$/);

/** Fingerprints of a picture's new outputs, by the suffixes of their names. */
const outputsSchema = z.record(z.string().regex(OUTPUT_SUFFIX), fingerprintSchema);

/** Entry of one source: a picture of a vehicle at a URL. */
export const sourceSchema = z.strictObject({
  /** Validator for conditional requests, see `toValidator`. */
  validator: z.string().regex(VALIDATOR),
  /** `dateUpdated` of its vehicle when it was last requested. */
  vehicleDate: z.string().max(40),
  /** Hash of its bytes. */
  hash: hashSchema,
  /** Set if the last due check failed. */
  stale: z.literal(true).optional(),
});

/** Entry of the bytes of a picture, which several sources may share. */
export const contentSchema = z.strictObject({
  /** In pixels, with the orientation applied. */
  width: sideSchema,
  height: sideSchema,
  /** Mean colour. */
  colour: colourSchema,
  outputs: outputsSchema,
});

export type SourceEntry = z.infer<typeof sourceSchema>;
export type ContentEntry = z.infer<typeof contentSchema>;
export type Fingerprints = ContentEntry['outputs'];

const source = sourceSchema.shape;
const content = contentSchema.shape;

export const sourceRowSchema = z.tuple([
  /** Media id, a space, and the hash of dealer, id and URL: `sourceKey` without the dealer. */
  z.string().regex(/^-?\d{1,16} [A-Za-z0-9_-]{11}$/),
  source.validator,
  source.vehicleDate,
  source.hash,
  /** 1 if it is stale. */
  z.literal(1).optional(),
]);

export const contentRowSchema = z.tuple([
  hashSchema,
  content.width,
  content.height,
  content.colour,
  content.outputs,
]);

export type SourceRow = z.infer<typeof sourceRowSchema>;
export type ContentRow = z.infer<typeof contentRowSchema>;

/** Compares rows by their first column. */
export const byFirst = (
  a: readonly [string, ...unknown[]],
  b: readonly [string, ...unknown[]],
): number => (a[0] < b[0] ? -1 : 1);

/** The pictures in a dealer's record. */
export interface PictureRows {
  /** Sources, with the hashes of their bytes. */
  sources: readonly SourceRow[];
  contents: readonly ContentRow[];
}
