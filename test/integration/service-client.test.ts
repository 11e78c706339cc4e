import { execFile } from 'node:child_process';
import { readFile, truncate } from 'node:fs/promises';
import path from 'node:path';
import { inspect, promisify } from 'node:util';
import debug from 'debug';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../src/config/secret.ts';
import { ERROR_MESSAGES } from '../../src/contract/batch.ts';
import { AppError } from '../../src/errors.ts';
import { type SampleService, startSampleService } from '../../src/sample-service/index.ts';
import { getMediaByDealer } from '../../src/service/media-by-dealer.ts';
import { getMyVideos } from '../../src/service/my-videos.ts';
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
] as const;

describe('GetMediaByDealer', () => {
  it('gives the records of the dealer', async () => {
    await using folder = await temporaryFolder();
    const body = await dealerCall(folder.path);
    expect(body).toHaveLength(2);
  });

  it.each(FAULTS)(
    '%s: told, tried as often as is useful, and the key nowhere',
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

  it('passes over a fault that passes', async () => {
    await using folder = await temporaryFolder();
    service.faults.set({ route: 'media', status: 503, times: 2 });
    await expect(dealerCall(folder.path)).resolves.toHaveLength(2);
  });

  it('throws away an answer that holds the key', async () => {
    await using folder = await temporaryFolder();
    service.faults.set({
      route: 'media',
      body: JSON.stringify([{ vrm: encodeURIComponent(KEY) }]),
    });
    const error = await failureOf(dealerCall(folder.path));
    expect(error).toMatchObject({ code: 'service-answer-holds-key', exitCode: 6 });
    expect(new Secret(KEY).occursIn(inspect([...(await readTree(folder.path))]))).toBe(false);
  });

  it('redacts a key that the service repeats in its reason', async () => {
    await using folder = await temporaryFolder();
    service.faults.set({
      route: 'media',
      status: 403,
      body: JSON.stringify({ Success: false, Message: `bad key ${KEY}` }),
    });
    const error = await failureOf(dealerCall(folder.path));
    expect(error.why).toBe('It says: "bad key [secret]"');
  });

  it('uses a young copy where that is allowed, and does without a torn one', async () => {
    await using folder = await temporaryFolder();
    // Another process each time: eleventy-fetch remembers within one which copies exist.
    const callElsewhere = async () => {
      const module = new URL('../../src/service/media-by-dealer.ts', import.meta.url).href;
      const secret = new URL('../../src/config/secret.ts', import.meta.url).href;
      const code = `
        import { getMediaByDealer } from ${JSON.stringify(module)};
        import { Secret } from ${JSON.stringify(secret)};
        const body = await getMediaByDealer({
          service: ${JSON.stringify(configFor(service).service)},
          dealer: { id: ${service.data.dealers[0]?.id}, name: 'x', apiKey: new Secret(process.env.KEY) },
          cacheDir: ${JSON.stringify(folder.path)},
          maxAge: '1h',
        });
        console.log(body.length);`;
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--input-type=module', '-e', code],
        { env: { KEY } },
      );
      return Number(stdout);
    };
    expect(await callElsewhere()).toBe(2);
    service.requests.clear();
    expect(await callElsewhere()).toBe(2);
    expect(service.requests.list('media')).toHaveLength(0);

    for (const [index] of [...(await readTree(folder.path)).keys()].entries()) {
      const files = [...(await readTree(folder.path)).keys()];
      await truncate(path.join(folder.path, files[index] ?? ''), 10);
      expect(await callElsewhere()).toBe(2);
      // Removed by the call before; made again for the next turn.
      expect(await callElsewhere()).toBe(2);
    }
    expect(service.requests.list('media').length).toBeGreaterThan(0);
  });
});

describe('MyVideos', () => {
  const account = (change: { customerId?: string; key?: string } = {}) => {
    const first = service.data.accounts[0];
    if (!first) throw new Error('no account');
    return {
      name: first.name,
      customerId: change.customerId ?? first.customerId,
      pathId: first.pathId,
      apiKeyEnv: 'BATCH_API_KEY',
      apiKey: new Secret(change.key ?? service.batchKey),
    };
  };
  const call = (change: { customerId?: string; key?: string } = {}) =>
    getMyVideos({
      service: configFor(service).service,
      account: account(change),
      daysOfHistory: 30,
    });

  it('gives the batches of the window', async () => {
    expect((await call()).length).toBeGreaterThan(0);
  });

  it('sends nothing with a key of the wrong form', async () => {
    service.requests.clear();
    expect(await failureOf(call({ key: 'short' }))).toMatchObject({
      code: 'batches-key-form',
      exitCode: 2,
    });
    expect(service.requests.list()).toHaveLength(0);
  });

  it('makes both documented 404 bodies clear messages', async () => {
    expect(await failureOf(call({ customerId: 'nobody' }))).toMatchObject({
      code: 'batches-unknown-customer',
      exitCode: 3,
    });
    service.faults.set({
      route: 'batches',
      status: 404,
      body: JSON.stringify({ Success: false, Message: ERROR_MESSAGES.malformedKey }),
    });
    expect(await failureOf(call())).toMatchObject({ code: 'batches-key-form', exitCode: 2 });
  });

  it('tells an answer that is no list', async () => {
    service.faults.set({ route: 'batches', body: '{}' });
    expect(await failureOf(call())).toMatchObject({ code: 'batches-answer-no-array', exitCode: 5 });
  });
});

it('sends the key nowhere but in the query of the service', async () => {
  const text = await readFile(new URL('../../src/service/get-json.ts', import.meta.url), 'utf8');
  expect(text.match(/reveal\(\)/g)).toHaveLength(1);
});
