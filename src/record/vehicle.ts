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
 * A vehicle in its public form: the data on its pages, and hashes. Pages are made only from it, so a response and
 * its record give the same pages.
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

/** URLs of the service that pages show. */
interface PublishedAddresses {
  /** The URL that pages embed for a video. Undefined if they only link to its player page. */
  embedAddress: (video: VideoMedia) => string | undefined;
  /** Whether pages link to the service's URL of a picture. */
  showsAddress: (image: ImageMedia) => boolean;
}

/**
 * The public form of a vehicle. A result of {@link fromPublic} has the same public form, if `embedAddress` maps
 * its results to themselves, as `embedOf` does.
 */
export function publicVehicle(
  { vrm, dateUpdated, media }: Vehicle,
  { embedAddress, showsAddress }: PublishedAddresses,
): PublicVehicle {
  return {
    vrm,
    dateUpdated,
    media: media.map((mediaItem) => {
      if (mediaItem.kind === 'image') {
        // Most media need no change. Copying 400,000 of them in a large stock would take time.
        if (mediaItem.url === undefined || showsAddress(mediaItem)) return mediaItem;
        const { url: _, ...publicItem } = mediaItem;
        return publicItem;
      }
      const { id, label, playerUrl } = mediaItem;
      const hostedUrl = embedAddress(mediaItem);
      return { kind: 'video', id, label, playerUrl, ...(hostedUrl !== undefined && { hostedUrl }) };
    }),
  };
}

/** A dealer's vehicle from its public form. */
export const fromPublic = (
  { vrm, dateUpdated, media }: PublicVehicle,
  dealerId: number,
): Vehicle => ({ dealerId, vrm, slug: vehicleSlug(vrm), dateUpdated, media });
