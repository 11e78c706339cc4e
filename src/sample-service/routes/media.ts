import { type OpenAPIHono, z } from '@hono/zod-openapi';
import { errorBodySchema } from '../../contract/batch.ts';
import { invertAliases, mediaItemAliases, renameFields } from '../../contract/field-names.ts';
import {
  getMediaByDealerQuerySchema,
  getMediaByDealerResponseSchema,
  type VehicleMediaRecord,
} from '../../contract/media.ts';
import type { SampleDealer } from '../data/types.ts';
import { type ServiceContext, withBaseUrl } from '../state/context.ts';
import { json, problem } from './answers.ts';

const PATH = '/PublicAPI/GetMediaByDealer';

/** The request for the vehicles of a dealer. */
export function mediaUrl({ baseUrl, mediaKey }: ServiceContext, dealer: SampleDealer): string {
  const query = { apiKey: dealer.apiKey ?? mediaKey, dealerId: `${dealer.id}` };
  return `${baseUrl}${PATH}?${new URLSearchParams(query)}`;
}

const { dealerId } = getMediaByDealerQuerySchema.shape;

/** The query in the form of an address; the contract's own schema also converts it. */
const describedQuery = getMediaByDealerQuerySchema.extend({
  dealerId: z.int().describe(dealerId.description ?? ''),
});

/** GetMediaByDealer, interface 4.1. Its errors are "not shown": see docs/service.md for the choice. */
export function addMediaRoutes(app: OpenAPIHono, context: ServiceContext): void {
  app.openAPIRegistry.registerPath({
    method: 'get',
    path: PATH,
    operationId: 'GetMediaByDealer',
    summary: 'Image URLs, video URLs and video embed HTML for all vehicles of one dealer.',
    request: { query: describedQuery },
    responses: {
      200: json('One record per vehicle of the dealer.', getMediaByDealerResponseSchema),
      400: json('dealerId is missing or no whole number.', errorBodySchema),
      401: json('apiKey is missing or unknown.', errorBodySchema),
      403: json('apiKey is known, but not for this dealer.', errorBodySchema),
      404: json('No such dealer.', errorBodySchema),
    },
  });

  const theirs = invertAliases(mediaItemAliases(context.fieldNames));
  const written = (vehicle: VehicleMediaRecord) => ({
    ...vehicle,
    mediaList: vehicle.mediaList.map((item) =>
      renameFields(withBaseUrl(item, context.baseUrl), theirs),
    ),
  });

  app.get(PATH, (c) => {
    const { apiKey, dealerId } = c.req.query();
    const keyOf = (dealer: { apiKey?: string }) => dealer.apiKey ?? context.mediaKey;
    if (!apiKey) return problem(c, 401, 'apiKey is missing');
    if (apiKey !== context.mediaKey && !context.data.dealers.some((d) => keyOf(d) === apiKey)) {
      return problem(c, 401, 'apiKey is not known');
    }
    if (!dealerId) return problem(c, 400, 'dealerId is missing');
    if (!/^\d{1,15}$/.test(dealerId)) return problem(c, 400, 'dealerId must be a whole number');
    const dealer = context.data.dealer(Number(dealerId));
    if (!dealer) return problem(c, 404, 'dealerId does not exist');
    if (keyOf(dealer) !== apiKey) return problem(c, 403, 'apiKey is not valid for this dealer');
    return c.json(dealer.vehicles.map(written), 200, { 'cache-control': 'no-store' });
  });
}
