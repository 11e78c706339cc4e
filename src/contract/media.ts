import { z } from 'zod';

/**
 * Timestamps are documented as ISO 8601 UTC, `YYYY-MM-DDThh:mm:ssZ`. Fractions of a second and an
 * offset are also accepted. `toUtc` converts them to the documented form.
 */
export const timestampSchema = z.iso
  .datetime({ offset: true, error: 'must be a time with a zone, such as 2026-03-01T09:30:00Z' })
  // `9999-12-31T23:59:59-23:59` is in the year 10000 in UTC, which the documented form cannot express.
  .refine((text) => {
    if (text.endsWith('Z')) return !text.startsWith('0000');
    const year = new Date(text).getUTCFullYear();
    return year >= 1 && year <= 9999;
  }, 'must be within the years 1 to 9999')
  .describe('ISO 8601 UTC timestamp, form YYYY-MM-DDThh:mm:ssZ.');

/** The documented form of a timestamp: UTC, whole seconds, `YYYY-MM-DDThh:mm:ssZ`. */
export const timestamp = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;

/** An accepted timestamp in the documented form. */
export const toUtc = (text: string): string => timestamp(Date.parse(text));

/**
 * Maximum lengths of texts. The interface shows no limits. These are far above real values, and limit how
 * much one record adds to every page.
 */
export const LONGEST = { vrm: 1000, label: 1000, address: 4096, snippet: 20_000 } as const;

/** Maximum media items of one vehicle. No browser could open a page with more. */
export const MOST_ITEMS = 1000;

/** Absent is the documented form of "none". Null is tolerated and read as absent. */
const optionalText = () =>
  z
    .string()
    .nullish()
    .transform((value) => value ?? undefined)
    .optional();

/** A media item, section 2.2. Unknown fields are preserved. */
export const mediaItemSchema = z.looseObject({
  id: z.int().describe('Identifier of the media item.'),
  type: z.string().describe('Values seen: "Image", "Video".'),
  label: z
    .string()
    .max(LONGEST.label)
    .describe(
      "Display label. For images a running label ending in the image's ordinal number; for videos a plain word.",
    ),
  mediaUrl: z
    .string()
    .max(LONGEST.address)
    .describe('Absolute URL of the image, or of the video player page.'),
  hostedVideoUrl: optionalText().describe(
    'Present only on some Video items. Embeddable URL on a third-party video host (may carry query parameters).',
  ),
  hostedVideoEmbedHtml: optionalText().describe(
    'Present only on some Video items. HTML iframe snippet for embedding the hosted video.',
  ),
  hostedVideoWatchUrl: optionalText().describe(
    'Present only on some Video items. Watch-page URL on the third-party video host.',
  ),
});

export type MediaItem = z.infer<typeof mediaItemSchema>;

/**
 * A vehicle media record, section 2.1, with its items not yet parsed. Items are parsed one by one, so that
 * an invalid item does not affect the vehicle (see `parse.ts`).
 */
export const vehicleRecordShellSchema = z.looseObject({
  vrm: z
    .string()
    .max(LONGEST.vrm)
    .describe('Vehicle registration mark. Arbitrary text, possibly very short.'),
  dateUpdated: timestampSchema,
  mediaList: z.array(z.unknown()).max(MOST_ITEMS).describe("Ordered list of the vehicle's media."),
});

/** A vehicle media record, section 2.1, with parsed items. */
export const vehicleMediaRecordSchema = vehicleRecordShellSchema.extend({
  mediaList: z.array(mediaItemSchema).describe("Ordered list of the vehicle's media."),
});

export type VehicleMediaRecord = z.infer<typeof vehicleMediaRecordSchema>;

/** The success response of GetMediaByDealer, section 4.1: one record per vehicle of the dealer. */
export const getMediaByDealerResponseSchema = z.array(vehicleMediaRecordSchema);

/** Query of GetMediaByDealer, section 4.1. */
export const getMediaByDealerQuerySchema = z.object({
  apiKey: z.string().min(1).describe('API key authenticating the third party.'),
  dealerId: z.coerce.number().int().describe('Unique identifier of the dealer.'),
});
