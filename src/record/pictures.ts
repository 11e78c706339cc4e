import { z } from 'zod';

/**
 * What a record says of pictures, in rows: half the bytes of objects, and half the time to read.
 * A source is a picture of a vehicle at an address; its content is the bytes that it had.
 */

/** Hash of a picture's bytes. */
export const hashSchema = z.string().regex(/^[0-9a-f]{20}$/);
/** Width or height in pixels. */
export const sideSchema = z.int().min(1).max(1_000_000_000);
/** Six hexadecimal digits. */
export const colourSchema = z.string().regex(/^[0-9a-f]{6}$/);

/** An `ETag`, or `@` and a `Last-Modified`; what may stand in a header as it is. Empty: neither. */
const VALIDATOR = /^@?[\x20-\x7e]{0,512}$/;

/** Size and hash of an output's bytes, see `fingerprintOf`. */
const FINGERPRINT = /^[0-9a-z]{1,10}-[A-Za-z0-9_-]{27}$/;

/** Size in base 36, a hyphen, and SHA-1: bytes that come from the published site must have it. */
export const fingerprintSchema = z.string().regex(FINGERPRINT);

/** Fingerprints of a picture's outputs as they were made, by what follows the hash in their names. */
const outputsSchema = z.record(
  z.string().regex(/^-\d+-[0-9a-f]{6}\.(?:webp|avif|jpg)$/),
  fingerprintSchema,
);

/** What is known of one source: a picture of a vehicle at an address. */
export const sourceSchema = z.strictObject({
  /** How it is asked for again, see {@link toValidator}. */
  validator: z.string().regex(VALIDATOR),
  /** `dateUpdated` of its vehicle when it was last asked for. */
  vehicleDate: z.string().max(40),
  /** Hash of its bytes. */
  hash: hashSchema,
  /** It could not be asked for when that was due. */
  stale: z.literal(true).optional(),
});

/** What is known of bytes, whoever's they are. */
export const contentSchema = z.strictObject({
  /** Turned as people see it. */
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
  /** Media id, a space, and the hash of dealer, id and address: `sourceKey` without the dealer. */
  z.string().regex(/^\d{1,16} [A-Za-z0-9_-]{11}$/),
  source.validator,
  source.vehicleDate,
  source.hash,
  /** 1 where it is stale. */
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

/** The order of rows. */
export const byFirst = (
  a: readonly [string, ...unknown[]],
  b: readonly [string, ...unknown[]],
): number => (a[0] < b[0] ? -1 : 1);

/** What is known of a dealer's pictures. */
export interface PictureRows {
  /** Where they were, and what their bytes are. */
  sources: readonly SourceRow[];
  contents: readonly ContentRow[];
}

/**
 * How a picture is asked for again. Where there is an `ETag`, servers do not look at the time (RFC
 * 9110, 13.1.3), which may differ for equal bytes.
 */
export function toValidator(known: {
  etag?: string | undefined;
  lastModified?: string | undefined;
}) {
  const { etag, lastModified } = known;
  const text = etag || (lastModified && `@${lastModified}`) || '';
  return VALIDATOR.test(text) && (etag === undefined || !etag.startsWith('@')) ? text : '';
}

/** What {@link toValidator} was given, as far as it stands in a record. */
export function fromValidator(text: string) {
  const isTime = text.startsWith('@');
  return {
    etag: isTime || text === '' ? undefined : text,
    lastModified: isTime ? text.slice(1) : undefined,
  };
}
