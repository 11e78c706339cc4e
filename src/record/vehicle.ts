import { z } from 'zod';
import { LONGEST, MOST_ITEMS, timestampSchema } from '../contract/media.ts';
import { vehicleSlug } from '../stock/address.ts';
import {
  httpAddress,
  type ImageMedia,
  SOURCE_HASH,
  type Vehicle,
  type VideoMedia,
} from '../stock/vehicle.ts';

/**
 * A vehicle in its public form: what its pages show, and hashes. Pages are made from it alone, so that
 * an answer and its record give the same pages.
 */

const address = () =>
  z
    .string()
    .refine((text) => httpAddress(text) === text, 'must be an http(s) address in its one spelling');

const item = {
  id: z.int().describe('Identifier of the media item in the media service.'),
  label: z.string().max(LONGEST.label),
};

const imageSchema = z.strictObject({
  kind: z.literal('image'),
  ...item,
  source: SOURCE_HASH.describe('Hash of dealer, media id and address.'),
  url: address().optional().describe("The service's own address, where pages link to it."),
});

const videoSchema = z.strictObject({
  kind: z.literal('video'),
  ...item,
  playerUrl: address().describe('Page that plays the video.'),
  hostedUrl: address()
    .optional()
    .describe('URL that pages frame. Absent if a video is only linked.'),
});

export const publicVehicleSchema = z.strictObject({
  vrm: z.string().max(LONGEST.vrm),
  dateUpdated: timestampSchema.refine(
    (text) => /^[\d-]{10}T[\d:]{8}Z$/.test(text),
    'must have the form YYYY-MM-DDThh:mm:ssZ',
  ),
  media: z.array(z.discriminatedUnion('kind', [imageSchema, videoSchema])).max(MOST_ITEMS),
});

export type PublicVehicle = z.infer<typeof publicVehicleSchema>;

/** Which addresses of the service pages show. */
export interface PublishedAddresses {
  /** The address that pages frame for a video. Undefined where they only link to its player page. */
  embedAddress: (video: VideoMedia) => string | undefined;
  /** Whether pages link to the service's own address of a picture. */
  showsAddress: (image: ImageMedia) => boolean;
}

/**
 * The public form of a vehicle. The public form of a result of {@link fromPublic} is the same again, if
 * `embedAddress` maps its own results to themselves, as `embedOf` does.
 */
export function publicVehicle(
  { vrm, dateUpdated, media }: Vehicle,
  { embedAddress, showsAddress }: PublishedAddresses,
): PublicVehicle {
  return {
    vrm,
    dateUpdated,
    media: media.map((one) => {
      if (one.kind === 'image') {
        // Most media are public as they are; copying 400,000 of them in a large stock would cost time.
        if (one.url === undefined || showsAddress(one)) return one;
        const { url: _, ...shown } = one;
        return shown;
      }
      const { id, label, playerUrl } = one;
      const hostedUrl = embedAddress(one);
      return { kind: 'video', id, label, playerUrl, ...(hostedUrl !== undefined && { hostedUrl }) };
    }),
  };
}

/** A dealer's vehicle from its public form. */
export function fromPublic({ vrm, dateUpdated, media }: PublicVehicle, dealerId: number): Vehicle {
  return { dealerId, vrm, slug: vehicleSlug(vrm), dateUpdated, media };
}
