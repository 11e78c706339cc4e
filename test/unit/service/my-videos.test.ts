import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { ERROR_MESSAGES } from '../../../src/contract/batch.ts';
import { ConfigError, GateError, RefusedError } from '../../../src/errors.ts';
import { getMyVideos } from '../../../src/service/my-videos.ts';
import { failureOf, inTurn, startAnswerServer } from '../../support/answer-server.ts';

const KEY = 'a1b2c3d4-1234-5678-9abc-a1b2c3d4e5f6';
const LIMITS = { timeout: 5000, totalTimeout: 8000, retries: 1, maxRetryAfter: 50, maxBytes: 1000 };

describe('the videos of an account', () => {
  const service = (baseUrl: string) => ({ ...LIMITS, baseUrl }) as never;
  const account = {
    name: 'north',
    customerId: 'C 1',
    pathId: '7/8',
    apiKeyEnv: 'NORTH_KEY',
    apiKey: new Secret(KEY),
  };
  const pull = async (status: number, body: unknown) => {
    const { url, asked } = await startAnswerServer(inTurn([status, JSON.stringify(body)]));
    return { asked, answer: getMyVideos({ service: service(url), account, daysOfHistory: 30 }) };
  };

  it('are requested by customer and days', async () => {
    const { answer, asked } = await pull(200, [{ a: 1 }]);
    expect(await answer).toEqual([{ a: 1 }]);
    expect(asked[0]?.pathname).toBe('/PublicAPI/MyVideos/v1/cakes/7%2F8');
    expect(Object.fromEntries(asked[0]?.searchParams ?? [])).toEqual({
      customerId: 'C 1',
      daysOfHistory: '30',
      apiKey: KEY,
    });
  });

  it('are not requested with a malformed key', async () => {
    const { url, asked } = await startAnswerServer(inTurn([200, '[]']));
    const shortKeyAccount = { ...account, apiKey: new Secret('short') };
    const options = { service: service(url), account: shortKeyAccount, daysOfHistory: 30 };
    const error = await failureOf(getMyVideos(options));
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.code).toBe('batches-key-form');
    expect(asked).toEqual([]);
  });

  it('cannot be read if the response is too large, with advice to request fewer days', async () => {
    const { answer } = await pull(200, ['x'.repeat(1000)]);
    const { fix } = await failureOf(answer);
    expect(fix).toContain('daysOfHistory of account "north"');
  });

  it.each([
    [404, { Success: false, Message: ERROR_MESSAGES.unknownCustomer }, 'batches-unknown-customer'],
    [404, { Success: false, Message: ERROR_MESSAGES.malformedKey }, 'batches-key-form'],
    [404, { Success: false, Message: 'Other' }, 'service-refused-404'],
    [200, { no: 'list' }, 'service-answer-no-array'],
    [201, [], 'service-unreachable'],
  ])('cannot be read after status %i with %j: %s', async (status, body, code) => {
    const { answer } = await pull(status, body);
    const error = await failureOf(answer);
    expect(error.code).toBe(code);
    expect(error.message).toContain('"north"');
    if (status === 200) expect(error).toBeInstanceOf(GateError);
    if (code === 'batches-key-form') expect(error).toBeInstanceOf(ConfigError);
    else if (status === 404) expect(error).toBeInstanceOf(RefusedError);
    if (code === 'batches-unknown-customer') expect(error.cause).toBeInstanceOf(RefusedError);
  });
});
