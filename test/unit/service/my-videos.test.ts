import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
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
  const pull = async (body: unknown) => {
    const { url, asked } = await startAnswerServer(inTurn([200, JSON.stringify(body)]));
    return { asked, answer: getMyVideos({ service: service(url), account, daysOfHistory: 30 }) };
  };

  it('are requested by customer and days', async () => {
    const { answer, asked } = await pull([{ a: 1 }]);
    expect(await answer).toEqual([{ a: 1 }]);
    expect(asked[0]?.pathname).toBe('/PublicAPI/MyVideos/v1/cakes/7%2F8');
    expect(Object.fromEntries(asked[0]?.searchParams ?? [])).toEqual({
      customerId: 'C 1',
      daysOfHistory: '30',
      apiKey: KEY,
    });
  });

  it('cannot be read if the response is too large, with advice to request fewer days', async () => {
    const { answer } = await pull(['x'.repeat(1000)]);
    const { fix } = await failureOf(answer);
    expect(fix).toContain('daysOfHistory of account "north"');
  });
});
