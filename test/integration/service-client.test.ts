import { readFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import debug from 'debug';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../src/config/secret.ts';
import { AppError } from '../../src/errors.ts';
import { type SampleService, startSampleService } from '../../src/sample-service/index.ts';
import { getMediaByDealer } from '../../src/service/media-by-dealer.ts';
import { configFor, readTree, temporaryFolder } from '../support/build.ts';

const KEY = 'media key/with+odd&chars=é';
let service: SampleService;

beforeAll(async () => {
  service = await startSampleService({ dealers: 1, vehicles: 2, images: 1, mediaKey: KEY });
});
afterAll(() => service.close());
afterEach(() => service.faults.clear());

function dealerCall(
  cacheDir: string,
  change: Partial<Parameters<typeof getMediaByDealer>[0]> = {},
) {
  const config = configFor(service);
  const dealer = config.dealers[0];
  if (!dealer) throw new Error('no dealer');
  return getMediaByDealer({
    service: { ...config.service, retries: 2, totalTimeout: 4000, timeout: 1000 },
    dealer,
    cacheDir,
    ...change,
  });
}

async function failureOf(promise: Promise<unknown>): Promise<AppError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof AppError) return error;
  throw new Error(`no told error but ${inspect(error)}`);
}

const FAULTS = [
  ['status 500', { status: 500 }, 'service-unreachable', 3],
  ['status 429', { status: 429, headers: { 'retry-after': '0' } }, 'service-unreachable', 3],
  ['status 408', { status: 408 }, 'service-unreachable', 3],
  ['a reset', { reset: true }, 'service-unreachable', 3],
  ['a truncated body', { truncate: true }, 'service-unreachable', 3],
  ['wrong JSON', { wrongJson: true }, 'service-unreachable', 3],
  ['a hang', { hang: true }, 'service-unreachable', 3],
  [
    'a long Retry-After',
    { status: 503, headers: { 'retry-after': '86400' } },
    'service-unreachable',
    1,
  ],
  ['a redirect', { redirectTo: '/elsewhere' }, 'service-unreachable', 1],
  ['status 401', { status: 401 }, 'service-refused-401', 1],
  ['status 403', { status: 403 }, 'service-refused-403', 1],
  ['status 404', { status: 404 }, 'service-refused-404', 1],
  ['Success:false', { body: '{"Success":false,"Message":"no"}' }, 'service-refused-200', 1],
  ['no array', { body: '{"vehicles":[]}' }, 'service-answer-no-array', 1],
  [
    'the key',
    { body: JSON.stringify([{ vrm: encodeURIComponent(KEY) }]) },
    'service-answer-holds-key',
    1,
  ],
  [
    'a reason with the key',
    { status: 403, body: JSON.stringify({ Success: false, Message: `bad key ${KEY}` }) },
    'service-refused-403',
    1,
  ],
] as const;

describe('GetMediaByDealer', () => {
  it.each(FAULTS)(
    '%s: is reported, tried as often as is useful, and the key is nowhere',
    async (_, fault, code, tries) => {
      await using folder = await temporaryFolder();
      const traced: string[] = [];
      debug.enable('*');
      debug.log = (...values: unknown[]) => traced.push(inspect(values, { depth: 9 }));
      try {
        await dealerCall(folder.path);
        service.requests.clear();
        service.faults.set({ route: 'media', ...fault });
        const error = await failureOf(dealerCall(folder.path));
        expect(error.code).toBe(code);
        expect(service.requests.list('media')).toHaveLength(tries);
        const everything = [
          inspect(error, { depth: 9, showHidden: true }),
          error.stack,
          ...traced,
          ...[...(await readTree(folder.path))].flat(),
        ].join('\n');
        expect(traced.length).toBeGreaterThan(0);
        expect(new Secret(KEY).occursIn(everything)).toBe(false);
      } finally {
        debug.disable();
      }
    },
  );
});

it('sends the key nowhere but in the query of the service', async () => {
  const text = await readFile(new URL('../../src/service/get-json.ts', import.meta.url), 'utf8');
  expect(text.match(/reveal\(\)/g)).toHaveLength(1);
});
