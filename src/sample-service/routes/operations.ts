import type { Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import {
  BATCH_KEY_FORM,
  type BatchRecord,
  ERROR_MESSAGES,
  errorBodySchema,
  myVideosQuerySchema,
  myVideosResponseSchema,
} from '../../contract/batch.ts';
import {
  batchAliases,
  type FieldNames,
  invertAliases,
  mediaItemAliases,
  renameFields,
} from '../../contract/field-names.ts';
import {
  getMediaByDealerQuerySchema,
  getMediaByDealerResponseSchema,
  type VehicleMediaRecord,
} from '../../contract/media.ts';
import {
  type SampleAccount,
  type SampleDealer,
  type SampleStore,
  withBaseUrl,
} from '../data/store.ts';
import type { PictureStore } from '../drawing/draw.ts';

/** Shared state of the routes of one running service. */
export interface ServiceContext {
  baseUrl: string;
  data: SampleStore;
  pictures: PictureStore;
  fieldNames: FieldNames;
  mediaKey: string;
  batchKey: string;
  /** The current time of the service, milliseconds since 1970. */
  readonly now: number;
}

const MEDIA = '/PublicAPI/GetMediaByDealer';
const BATCHES = '/PublicAPI/MyVideos/v1/cakes';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

const PRIVATE = { 'cache-control': 'no-store' };

/** The request for the vehicles of a dealer. */
export function mediaUrl({ baseUrl, mediaKey }: ServiceContext, dealer: SampleDealer): string {
  const query = { apiKey: dealer.apiKey ?? mediaKey, dealerId: `${dealer.id}` };
  return `${baseUrl}${MEDIA}?${new URLSearchParams(query)}`;
}

export function batchesUrl({ baseUrl, batchKey }: ServiceContext, account: SampleAccount): string {
  const { customerId, apiKey = batchKey, pathId } = account;
  const query = new URLSearchParams({ customerId, apiKey, daysOfHistory: `${DEFAULT_DAYS}` });
  return `${baseUrl}${BATCHES}/${encodeURIComponent(pathId)}?${query}`;
}

/** An error in the form of interface section 7. */
export const problem = (c: Context, status: ContentfulStatusCode, message: string): Response =>
  c.json({ Success: false, Message: message }, status, PRIVATE);

/** A schema as JSON Schema, of the JSON text that is sent. */
const jsonSchema = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' });

/** Parameters of a request in OpenAPI form. */
function parameters(place: 'path' | 'query', schema: z.ZodObject) {
  const { properties = {}, required = [] } = jsonSchema(schema);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: property,
  }));
}

/** Responses in OpenAPI form: a schema for 200, the body of an error for others. */
const responses = (schema: z.ZodType, descriptions: Readonly<Record<number, string>>) =>
  Object.fromEntries(
    Object.entries(descriptions).map(([status, description]) => {
      const body = jsonSchema(status === '200' ? schema : errorBodySchema);
      return [status, { description, content: { 'application/json': { schema: body } } }];
    }),
  );

/** GetMediaByDealer, interface 4.1. Its errors are "not shown": these are a choice. */
function addMediaByDealer(app: Hono, context: ServiceContext): void {
  const aliases = invertAliases(mediaItemAliases(context.fieldNames));
  const recordOf = (vehicle: VehicleMediaRecord) => ({
    ...vehicle,
    mediaList: vehicle.mediaList.map((item) =>
      renameFields(withBaseUrl(item, context.baseUrl), aliases),
    ),
  });

  app.get(MEDIA, (c) => {
    const { apiKey, dealerId } = c.req.query();
    const keyOf = (dealer: { apiKey?: string }) => dealer.apiKey ?? context.mediaKey;
    if (!apiKey) return problem(c, 401, 'apiKey is missing');
    if (apiKey !== context.mediaKey && !context.data.dealers.some((d) => keyOf(d) === apiKey)) {
      return problem(c, 401, 'apiKey is not known');
    }
    if (!dealerId) return problem(c, 400, 'dealerId is missing');
    if (!/^\d{1,15}$/.test(dealerId)) return problem(c, 400, 'dealerId must be a whole number');
    const dealer = context.data.dealers.find(({ id }) => id === Number(dealerId));
    if (!dealer) return problem(c, 404, 'dealerId does not exist');
    if (keyOf(dealer) !== apiKey) return problem(c, 403, 'apiKey is not valid for this dealer');
    return c.json(dealer.vehicles.map(recordOf), 200, PRIVATE);
  });
}

/** MyVideos, interface 4.2, with both errors of section 7 word for word. */
function addMyVideos(app: Hono, context: ServiceContext): void {
  const aliases = invertAliases(batchAliases(context.fieldNames));

  app.get(`${BATCHES}/:id`, (c) => {
    const { apiKey = '', customerId = '', daysOfHistory = `${DEFAULT_DAYS}` } = c.req.query();
    if (!BATCH_KEY_FORM.test(apiKey)) return problem(c, 404, ERROR_MESSAGES.malformedKey);
    const account = context.data.accounts.find((one) => one.customerId === customerId);
    if (!account) return problem(c, 404, ERROR_MESSAGES.unknownCustomer);
    if (apiKey !== (account.apiKey ?? context.batchKey)) {
      return problem(c, 401, 'API key is not valid for this account');
    }
    if (c.req.param('id') !== account.pathId) {
      return problem(c, 404, 'Path id does not belong to this account');
    }
    if (!/^\d{1,9}$/.test(daysOfHistory)) {
      return problem(c, 400, 'daysOfHistory must be a whole number of days, 0 or more');
    }
    const oldest = context.now - Number(daysOfHistory) * DAY_MS;
    const isRecent = ({ DateCreated }: BatchRecord) => Date.parse(DateCreated) >= oldest;
    const batches = account.batches.filter(isRecent).map((batch) => renameFields(batch, aliases));
    return c.json(batches, 200, PRIVATE);
  });
}

/** Both operations in OpenAPI form. */
function paths() {
  const { dealerId } = getMediaByDealerQuerySchema.shape;
  const { daysOfHistory } = myVideosQuerySchema.shape;
  // Queries as in a URL. The schemas of the contract also convert them.
  const media = getMediaByDealerQuerySchema.extend({
    dealerId: z.int().describe(dealerId.description ?? ''),
  });
  const days = z.int().min(0).default(DEFAULT_DAYS);
  const batches = myVideosQuerySchema.extend({
    daysOfHistory: days.describe(daysOfHistory.description ?? ''),
  });
  const pathId = z.string().describe('The path id that belongs to the account.');
  return {
    [MEDIA]: {
      get: {
        operationId: 'GetMediaByDealer',
        summary: 'Image URLs, video URLs and video embed HTML for all vehicles of one dealer.',
        parameters: parameters('query', media),
        responses: responses(getMediaByDealerResponseSchema, {
          200: 'One record per vehicle of the dealer.',
          400: 'dealerId is missing or no whole number.',
          401: 'apiKey is missing or unknown.',
          403: 'apiKey is known, but not for this dealer.',
          404: 'No such dealer.',
        }),
      },
    },
    [`${BATCHES}/{id}`]: {
      get: {
        operationId: 'MyVideos',
        summary: 'All metadata linked to a batch, over a chosen number of past days.',
        parameters: [
          ...parameters('path', z.object({ id: pathId })),
          ...parameters('query', batches),
        ],
        responses: responses(myVideosResponseSchema, {
          200: 'Batches of the account, newest first.',
          400: 'daysOfHistory is not a whole number from 0 up.',
          401: 'apiKey has the right form but is not valid for the account.',
          404: 'apiKey is not in the right form, or customerId (or the path id) does not exist.',
        }),
      },
    },
  };
}

/** The two operations of the interface, and their description at `/openapi.json`. */
export function addOperations(app: Hono, context: ServiceContext): void {
  addMediaByDealer(app, context);
  addMyVideos(app, context);
  const description = {
    openapi: '3.1.0',
    info: {
      title: 'Vehicle media and batch data (sample service)',
      version: '1.0.0',
      description:
        'The two read-only operations of the service. Field names are the neutral ones of the interface document; a service may write real names in their place.',
    },
    servers: [{ url: context.baseUrl }],
    paths: paths(),
  };
  app.get('/openapi.json', (c) => c.json(description));
}
