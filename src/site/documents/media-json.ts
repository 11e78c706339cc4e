import { z } from 'zod';
import { outputSchema } from '../../lib/output-schema.ts';
import { recordedFactsSchema, STATUSES } from '../../stock/vehicle-facts.ts';
import type { ImageView, MediaView } from '../views/gallery-types.ts';
import type { ListView } from '../views/list-types.ts';
import type { SiteAddress } from '../views/site-url.ts';
import type { VehicleSummary } from '../views/summaries.ts';
import type { VehicleTexts, VehicleView } from '../views/view.ts';

/**
 * `media.json`: the data for a custom gallery on another website. Fields are only added. If the meaning of a
 * field must change, `version` is raised.
 */

const address = () => z.url({ protocol: /^https?$/ });

const imageSchema = z.object({
  src: address().describe('Picture of medium size. Its file name shows the format.'),
  width: z.int().min(1).describe('Width of the original in pixels.'),
  height: z.int().min(1).describe('Height of the original in pixels.'),
  colour: z.string().describe('Mean colour, six hex digits.'),
  sources: z
    .array(
      z.object({
        type: z.string().describe('Media type, such as "image/webp".'),
        files: z.array(z.object({ url: address(), width: z.int().min(1) })),
      }),
    )
    .describe('All sizes by format, best format first, smallest first.'),
});

const pictureSchema = imageSchema.extend({
  kind: z.literal('picture'),
  id: z.int().describe('Identifier of the media item in the media service.'),
  label: z.string(),
  alt: z.string(),
  full: address().describe('Full-size picture.'),
});

const videoSchema = z.object({
  kind: z.literal('video'),
  id: z.int().describe('Identifier of the media item in the media service.'),
  label: z.string(),
  title: z.string(),
  player: address().describe('Page that plays the video.'),
  embed: z
    .object({ url: address().describe('For an iframe.'), provider: z.string() })
    .optional()
    .describe('Absent if the video can only be watched on its page.'),
  poster: imageSchema.optional(),
});

const dealerSchema = z.object({ name: z.string(), slug: z.string(), url: address() });

const summary = {
  vrm: z
    .string()
    .describe(
      'Number plate, exactly as the media service has it. A generated name if plates are hidden.',
    ),
  plate: z.string().describe('Number plate as people write it.'),
  name: z.string().describe('Make and model if they are known, otherwise the plate.'),
  price: z.string().describe('Price as visitors read it. Empty if it is not known.'),
  priceValue: z
    .number()
    .positive()
    .optional()
    .describe('Price as a number. Absent if it is not known.'),
  priceCurrency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional()
    .describe('Currency of priceValue, such as "GBP" (ISO 4217).'),
  status: z.enum(STATUSES).describe('Whether the vehicle can still be bought.'),
  url: address().describe('Page of the vehicle.'),
  updated: z.iso.datetime().describe('Last change of the media, UTC.'),
};

const factsSchema = z.object({
  ...recordedFactsSchema.shape,
  mileageUnit: z.enum(['mi', 'km']).optional(),
});

export const vehicleMediaSchema = z.object({
  version: z.literal(1),
  ...summary,
  facts: factsSchema.describe(
    'Facts from the stock list, as numbers and texts. Unknown facts are absent.',
  ),
  embed: address().describe('Page with only the gallery, for an iframe.'),
  dealer: dealerSchema,
  media: z
    .array(z.discriminatedUnion('kind', [pictureSchema, videoSchema]))
    .describe('Pictures and videos in their order.'),
});

export const dealerMediaSchema = z.object({
  version: z.literal(1),
  dealer: dealerSchema,
  vehicles: z.array(
    z.object({
      ...summary,
      facts: factsSchema
        .omit({ description: true, equipment: true })
        .describe("As in the vehicle's own file, without description and equipment."),
      pictures: z.int().min(0),
      videos: z.int().min(0),
      cover: address().optional().describe('First picture, cropped to 4:3 if possible.'),
      media: address().describe("The vehicle's own media.json."),
    }),
  ),
});

type VehicleMedia = z.infer<typeof vehicleMediaSchema>;
type DealerMedia = z.infer<typeof dealerMediaSchema>;

/** The schemas as JSON Schema, for readers of the files. */
export function mediaJsonSchemas(): { vehicle: string; dealer: string } {
  const text = (schema: z.ZodType, title: string) =>
    `${JSON.stringify({ title, ...outputSchema(schema) }, null, 2)}\n`;
  return {
    vehicle: text(vehicleMediaSchema, 'Media of a vehicle'),
    dealer: text(dealerMediaSchema, 'Vehicles of a dealer'),
  };
}

function imageJson(image: ImageView, { origin }: SiteAddress): z.infer<typeof imageSchema> {
  return {
    src: `${origin}${image.src}`,
    width: image.width,
    height: image.height,
    colour: image.colour,
    sources: image.sources.map(({ type, srcset }) => ({
      type,
      files: srcset.split(', ').map((entry) => {
        const [url = '', width = ''] = entry.split(' ');
        return { url: `${origin}${url}`, width: Number.parseInt(width, 10) };
      }),
    })),
  };
}

function itemJson(item: MediaView, place: SiteAddress): VehicleMedia['media'][number] {
  const { id, label } = item;
  if (item.kind === 'picture') {
    return {
      kind: 'picture',
      id,
      label,
      alt: item.alt,
      ...imageJson(item, place),
      full: new URL(item.full, place.origin).href,
    };
  }
  return {
    kind: 'video',
    id,
    label,
    title: item.title,
    player: item.player,
    ...(item.embed && { embed: { url: item.embed.src, provider: item.embed.provider } }),
    ...(item.poster && { poster: imageJson(item.poster, place) }),
  };
}

const summaryOf = (view: VehicleTexts & Pick<VehicleView, 'vrm' | 'canonical' | 'updated'>) => ({
  vrm: view.vrm,
  plate: view.plate,
  name: view.name,
  price: view.price,
  ...(view.price && { priceValue: view.priceValue, priceCurrency: view.priceCurrency }),
  status: view.status,
  url: view.canonical,
  updated: view.updated.iso,
});

const dealerOf = ({ dealer }: Pick<VehicleView, 'dealer'>, { origin }: SiteAddress) => ({
  name: dealer.name,
  slug: dealer.slug,
  url: `${origin}${dealer.url}`,
});

/** `DEALER/VEHICLE/media.json` */
export function vehicleMediaJson(view: VehicleView, embed: string, place: SiteAddress): string {
  const json: VehicleMedia = {
    version: 1,
    ...summaryOf(view),
    facts: view.values,
    embed: `${place.origin}${embed}`,
    dealer: dealerOf(view, place),
    media: view.media.map((item) => itemJson(item, place)),
  };
  return `${JSON.stringify(json)}\n`;
}

/** `DEALER/media.json` */
export function dealerMediaJson(
  list: ListView,
  vehicles: readonly VehicleSummary[],
  place: SiteAddress,
): string {
  const json: DealerMedia = {
    version: 1,
    dealer: dealerOf(list, place),
    vehicles: vehicles.map(({ vrm, canonical, card, facts }) => ({
      ...summaryOf({ ...card, vrm, canonical }),
      facts,
      pictures: card.pictureCount,
      videos: card.videoCount,
      ...(card.cover && { cover: `${place.origin}${card.cover.src}` }),
      media: `${canonical}media.json`,
    })),
  };
  return `${JSON.stringify(json)}\n`;
}
