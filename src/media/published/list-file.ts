import { z } from 'zod';
import type { Validators } from '../download/download.ts';
import { sealed, unsealed } from '../store/dealer-file.ts';

/**
 * The published list of a dealer's pictures: which bytes each had, and what its thumbnails hash to.
 * It is the same for the same site, whoever built it: no clock is in it, nothing of how it came to be.
 * Sources stand in it as hashes, because addresses are not ours to publish.
 */

/** Raised with any change of the form. */
const VERSION = 1;

/**
 * Largest list that is published and read, in bytes: of about 9,000 vehicles with 20 pictures each.
 * Hosts refuse files that are not much larger (src/setup/hosts.ts).
 */
export const LARGEST_LIST = 20 * 2 ** 20;

/** Where the list of a dealer lies, below the site. */
export const listName = (dealer: string): string => `api/pictures/${dealer}.json`;

const base64 = (length: number) => z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${length}}$`));
/** An `ETag`, or `@` and a `Last-Modified`; what may stand in a header as it is. */
const VALIDATOR = /^@?[\x20-\x7e]{0,512}$/;
const side = z.int().min(1).max(1_000_000_000);

const rowSchema = z.tuple([
  /** Hash of dealer and media id. */
  base64(8),
  /** Hash of the source's key. */
  base64(11),
  /** Hash of the picture's bytes. */
  z.string().regex(/^[0-9a-f]{20}$/),
  side,
  side,
  /** Mean colour. */
  z.string().regex(/^[0-9a-f]{6}$/),
  /** Hash of the thumbnails that every picture has; empty where they are not there. */
  z.union([base64(16), z.literal('')]),
  /** Of those that a cover has besides; empty where it is none. */
  z.union([base64(16), z.literal('')]),
  /** The picture's validator, see {@link toValidator}; empty where there is none. */
  z.string().regex(VALIDATOR),
  /** 1 where it could not be asked for when that was due. */
  z.literal(1).optional(),
]);

const lineSchema = z.tuple([
  /** `dateUpdated` of the vehicle. */
  z.string().max(40),
  z.array(rowSchema),
]);

const listSchema = z.strictObject({
  version: z.literal(VERSION),
  /** Tags of the groups of thumbnails. */
  groups: z.tuple([base64(12), base64(12)]),
  /** `media.revalidateAfter` of the build, in milliseconds. */
  revalidateAfter: z.int().min(0),
  /** One line a vehicle. */
  vehicles: z.array(lineSchema),
});

export type ListRow = z.infer<typeof rowSchema>;
export type ListLine = z.infer<typeof lineSchema>;
export type PublishedList = z.infer<typeof listSchema>;

/**
 * How a picture is asked for again. Where there is an `ETag`, servers do not look at the time (RFC
 * 9110, 13.1.3), which may differ for equal bytes.
 */
export function toValidator({ etag, lastModified }: Validators): string {
  const text = etag || (lastModified && `@${lastModified}`) || '';
  return VALIDATOR.test(text) && (etag === undefined || !etag.startsWith('@')) ? text : '';
}

/** What {@link toValidator} was given, as far as it stands in a list. */
export function fromValidator(text: string) {
  const isTime = text.startsWith('@');
  return {
    etag: isTime || text === '' ? undefined : text,
    lastModified: isTime ? text.slice(1) : undefined,
  };
}

/** A line of a vehicle as it was written, read again. */
export const readLine = (text: string): ListLine | undefined =>
  lineSchema.safeParse(JSON.parse(text)).data;

/** The text of a list: JSON with one line a vehicle, and the checksum of the rest at its end. */
export function writeList(
  { groups, revalidateAfter }: Pick<PublishedList, 'groups' | 'revalidateAfter'>,
  lines: readonly string[],
): string {
  const head = JSON.stringify({ version: VERSION, groups, revalidateAfter }).slice(0, -1);
  const body = `${head},"vehicles":[\n${lines.join(',\n')}\n]`;
  return `${body},"sum":"${sealed(body).slice(0, 8)}"}\n`;
}

/** Reads a list that came from elsewhere; says what is wrong with one that cannot be used. */
export function readList(text: string): PublishedList | 'torn' | 'other-version' {
  const [, body, sum] = /^([\s\S]*),"sum":"([0-9a-f]{8})"\}\n$/.exec(text) ?? [];
  if (body === undefined || unsealed(`${sum} ${body}`) === undefined) return 'torn';
  let json: unknown;
  try {
    json = JSON.parse(`${body}}`);
  } catch {
    return 'torn';
  }
  const version = z.object({ version: z.literal(VERSION) }).safeParse(json);
  if (!version.success) return 'other-version';
  return listSchema.safeParse(json).data ?? 'torn';
}
