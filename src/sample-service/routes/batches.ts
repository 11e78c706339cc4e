import { type OpenAPIHono, z } from '@hono/zod-openapi';
import {
  BATCH_KEY_FORM,
  type BatchRecord,
  ERROR_MESSAGES,
  errorBodySchema,
  myVideosQuerySchema,
  myVideosResponseSchema,
} from '../../contract/batch.ts';
import { batchAliases, invertAliases, renameFields } from '../../contract/field-names.ts';
import type { SampleAccount } from '../data/types.ts';
import type { ServiceContext } from '../state/context.ts';
import { json, problem } from './answers.ts';

const PATH = '/PublicAPI/MyVideos/v1/cakes';
const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

/** The request for the batches of an account. */
export function batchesUrl({ baseUrl, batchKey }: ServiceContext, account: SampleAccount): string {
  const { customerId, apiKey = batchKey, pathId } = account;
  const query = new URLSearchParams({ customerId, apiKey, daysOfHistory: `${DEFAULT_DAYS}` });
  return `${baseUrl}${PATH}/${encodeURIComponent(pathId)}?${query}`;
}

/** MyVideos, interface 4.2, with both errors of section 7 word for word. */
export function addBatchRoutes(app: OpenAPIHono, context: ServiceContext): void {
  app.openAPIRegistry.registerPath({
    method: 'get',
    path: `${PATH}/{id}`,
    operationId: 'MyVideos',
    summary: 'All metadata linked to a batch, over a chosen number of past days.',
    request: {
      params: z.object({ id: z.string().describe('The path id that belongs to the account.') }),
      query: myVideosQuerySchema.extend({
        // The form in an address; the contract's own schema also converts it.
        daysOfHistory: z
          .int()
          .min(0)
          .default(DEFAULT_DAYS)
          .describe(myVideosQuerySchema.shape.daysOfHistory.description ?? ''),
      }),
    },
    responses: {
      200: json('Batches of the account, newest first.', myVideosResponseSchema),
      400: json('daysOfHistory is no whole number from 0 up.', errorBodySchema),
      401: json('apiKey has the right form but is not valid for the account.', errorBodySchema),
      404: json(
        'apiKey is not in the right form, or customerId (or the path id) does not exist.',
        errorBodySchema,
      ),
    },
  });

  const theirs = invertAliases(batchAliases(context.fieldNames));

  app.get(`${PATH}/:id`, (c) => {
    const { apiKey = '', customerId = '', daysOfHistory } = c.req.query();
    if (!BATCH_KEY_FORM.test(apiKey)) return problem(c, 404, ERROR_MESSAGES.malformedKey);
    const account = context.data.account(customerId);
    if (!account) return problem(c, 404, ERROR_MESSAGES.unknownCustomer);
    if (apiKey !== (account.apiKey ?? context.batchKey)) {
      return problem(c, 401, 'API key is not valid for this account');
    }
    if (c.req.param('id') !== account.pathId) {
      return problem(c, 404, 'Path id does not belong to this account');
    }
    if (daysOfHistory !== undefined && !/^\d{1,9}$/.test(daysOfHistory)) {
      return problem(c, 400, 'daysOfHistory must be a whole number of days, 0 or more');
    }
    const days = daysOfHistory === undefined ? DEFAULT_DAYS : Number(daysOfHistory);
    const oldest = context.now - days * DAY_MS;
    const within = ({ DateCreated }: BatchRecord) => Date.parse(DateCreated) >= oldest;
    const batches = account.batches.filter(within);
    return c.json(
      batches.map((batch) => renameFields(batch, theirs)),
      200,
      { 'cache-control': 'no-store' },
    );
  });
}
