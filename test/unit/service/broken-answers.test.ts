import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { getAnswer } from '../../../src/service/get-json.ts';
import { inTurn, startAnswerServer, thrownBy } from '../../support/answer-server.ts';

const LIMITS = { timeout: 15_000, totalTimeout: 30_000, maxRetryAfter: 50, maxBytes: 1000 };
const optionsOf = (base: string, retries: number) => ({
  url: new URL(`${base}/operation`),
  apiKey: new Secret('a1b2c3d4-1234-5678-9abc-a1b2c3d4e5f6'),
  subject: 'dealer 7',
  service: { ...LIMITS, retries },
});

describe('a connection', () => {
  it.each(['before', 'within'])('that ends %s the answer is tried again', async (when) => {
    const whole = inTurn([200, '[1]']);
    const { url, asked } = await startAnswerServer((request, response) => {
      if (asked.length > 1) return whole(request, response);
      if (when === 'before') return response.destroy();
      response.writeHead(200, { 'content-length': '3' });
      response.write('[', () => response.destroy());
    });
    expect((await getAnswer(optionsOf(url, 1))).value).toEqual([1]);
    expect(asked).toHaveLength(2);
  });
});

it('status 400 is a no, whatever comes with it', async () => {
  const { url } = await startAnswerServer(inTurn([400, '[]']));
  expect(await thrownBy(getAnswer(optionsOf(url, 0)))).toMatchObject({
    code: 'service-refused-400',
    why: 'It gave no reason that could be read.',
  });
});
