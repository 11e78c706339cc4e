import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { RefusedError, UnreachableError } from '../../../src/errors.ts';
import { getAnswer } from '../../../src/service/get-json.ts';
import { failureOf, inTurn, startAnswerServer } from '../../support/answer-server.ts';

const KEY = 'a1b2c3d4-1234-5678-9abc-a1b2c3d4e5f6';
const LIMITS = { timeout: 5000, totalTimeout: 8000, retries: 1, maxRetryAfter: 50, maxBytes: 1000 };
const PAGE = 'its response is HTML or XML instead of JSON, often a login or maintenance page';
const NO_JSON = 'its response is not complete JSON of a sensible depth and size';
const now = { 'retry-after': '0' };

const optionsFor = (base: string, limits: object = {}) => ({
  url: new URL(`${base}/operation?dealerId=7`),
  apiKey: new Secret(KEY),
  subject: 'dealer 7',
  service: { ...LIMITS, ...limits },
});

async function ask(answers: Parameters<typeof inTurn>, limits: object = {}) {
  const { url, asked } = await startAnswerServer(inTurn(...answers));
  return { asked, answer: getAnswer(optionsFor(url, limits)) };
}

describe('a response', () => {
  it('is requested with the key and returned as bytes and records, without a byte order mark', async () => {
    let accept: string | undefined;
    const { url, asked } = await startAnswerServer((request, response) => {
      accept = request.headers.accept;
      response.end('\ufeff[1, "é"]');
    });
    const { bytes, records } = await getAnswer(optionsFor(url));
    expect([bytes.toString(), records]).toEqual(['[1, "é"]', [1, 'é']]);
    expect(asked.map(({ search }) => search)).toEqual([`?dealerId=7&apiKey=${KEY}`]);
    expect(accept).toBe('application/json');
  });

  it.each([undefined, '0', '-1', '0.5', 'soon'])(
    'with status 429 and Retry-After: %s is requested again after half of the longest pause',
    async (after) => {
      const headers = after === undefined ? {} : { 'retry-after': after };
      const { answer } = await ask(
        [
          [429, '', headers],
          [200, '[]'],
        ],
        { maxRetryAfter: 1000 },
      );
      const start = performance.now();
      expect((await answer).records).toEqual([]);
      expect(performance.now() - start).toBeGreaterThan(450);
    },
  );

  it.each([408, 429, 500, 503])('with status %i is requested again', async (status) => {
    const { answer, asked } = await ask([
      [status, '', now],
      [200, '[]'],
    ]);
    expect((await answer).records).toEqual([]);
    expect(asked).toHaveLength(2);
  });

  it.each([
    [503, '', 'it responded with status 503'],
    [200, ' ', 'its response is empty'],
    [200, Buffer.from('["é"]', 'latin1'), 'its response is not text in UTF-8'],
    [200, Buffer.from('\ufeff["A"]', 'utf16le'), 'its response is not text in UTF-8'],
    [201, '[]', 'it responded with status 201'],
    [200, '\uFEFF\n<!DOCTYPE html><title>Sign in</title>', PAGE],
    [200, '<html lang="en"><p>We will be back soon', PAGE],
    [200, '<?xml version="1.0"?><Error/>', PAGE],
    [200, '[1', NO_JSON],
  ])('with status %i and %s fails after all attempts', async (status, body, why) => {
    const { answer, asked } = await ask([[status, body, status === 503 ? now : {}]]);
    const error = await failureOf(answer);
    expect(error).toBeInstanceOf(UnreachableError);
    expect(error).toMatchObject({ code: 'service-unreachable', why: `After 2 tries: ${why}.` });
    expect(error.message).toContain('dealer 7');
    expect(asked).toHaveLength(2);
  });

  it('that is too large or redirected is not requested again', async () => {
    const large = await ask([[200, `["${'x'.repeat(1000)}"]`]]);
    const error = await failureOf(large.answer);
    expect(error).toMatchObject({
      code: 'service-answer-too-large',
      exitCode: 5,
      why: expect.stringContaining('more than 1000 bytes'),
      fix: 'Ask the vendor why.',
    });
    expect(error.message).toContain('dealer 7');
    const moved = await ask([[302, '', { location: `https://cars.example/?apiKey=${KEY}` }]]);
    expect((await failureOf(moved.answer)).why).toBe(
      'After 1 try: it redirects to https://cars.example, and redirects are not followed.',
    );
    expect([large.asked.length, moved.asked.length]).toEqual([1, 1]);
  });

  it('that is delayed beyond the limit is abandoned', async () => {
    const { answer, asked } = await ask([[503, '', { 'retry-after': '60' }]]);
    const { why } = await failureOf(answer);
    expect(why).toBe('After 1 try: it responded with status 503 and asked to wait too long.');
    expect(asked).toHaveLength(1);
  });

  it('has a time limit per attempt and in total', async () => {
    const { url } = await startAnswerServer(() => {});
    const perTry = await failureOf(getAnswer(optionsFor(url, { timeout: 50, retries: 0 })));
    expect(perTry.why).toBe('After 1 try: no response before the deadline.');
    const all = await failureOf(getAnswer(optionsFor(url, { totalTimeout: 50, retries: 3 })));
    expect(all.why).toBe('After 1 try: no response before the deadline.');
  });

  it('is abandoned once the caller has stopped', async () => {
    const stop = new AbortController();
    const { url } = await startAnswerServer(() => stop.abort());
    const error = await failureOf(getAnswer({ ...optionsFor(url), signal: stop.signal }));
    expect(error).toBeInstanceOf(UnreachableError);
    expect(error.why).toMatch(/^After 1 try: /);
  });

  it('is not requested again once the caller has stopped, during any pause', async () => {
    const stop = new AbortController();
    const { url, asked } = await startAnswerServer((_, response) => {
      // The rest is not read: the connection closes when the pause begins.
      response.writeHead(503, { 'retry-after': '3600' }).write('busy');
      response.on('close', () => stop.abort());
    });
    const limits = { maxRetryAfter: 7_200_000 };
    const error = await failureOf(getAnswer({ ...optionsFor(url, limits), signal: stop.signal }));
    expect(error.why).toBe('After 1 try: it responded with status 503.');
    expect(asked).toHaveLength(1);
  });

  it.each([200, 400, 401, 403, 404])(
    'with status %i is a refusal with its reason',
    async (status) => {
      const body = JSON.stringify({ Success: false, Message: `No\u0007, ${KEY}!` });
      const { answer, asked } = await ask([[status, body]]);
      const error = await failureOf(answer);
      expect(error).toBeInstanceOf(RefusedError);
      expect(error.code).toBe(`service-refused-${status}`);
      expect(error.fix?.includes('service.baseUrl')).toBe(status === 404);
      expect(error.message).toContain(`dealer 7 (status ${status})`);
      expect(error.why).toMatch(/^It reported: "No.*!"\.$/);
      expect(error.why).not.toContain(KEY);
      expect(error.why).not.toContain('\u0007');
      expect(asked).toHaveLength(1);
    },
  );

  it.each(['before', 'within'])('whose connection ends %s is requested again', async (when) => {
    const { url, asked } = await startAnswerServer((_, response) => {
      if (asked.length > 1) return response.end('[1]');
      if (when === 'before') return response.destroy();
      response.writeHead(200, { 'content-length': '3' });
      response.write('[', () => response.destroy());
    });
    expect((await getAnswer(optionsFor(url))).records).toEqual([1]);
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['[]', 'It gave no readable reason.'],
    ['{"Success":false,"Message":""}', 'It gave no readable reason.'],
    ['{"Message":"Denied."}', 'It reported: "Denied.".'],
    ['{"error":7,"message":"Denied."}', 'It reported: "Denied.".'],
    ['<p>Blocked', 'Its response is HTML or XML, perhaps from a firewall or a proxy.'],
  ])('that refuses in another form is a refusal: %s', async (body, why) => {
    const { answer } = await ask([[404, body]]);
    expect((await failureOf(answer)).why).toBe(why);
    const object = await ask([[200, '{"message":"Come back later."}']]);
    expect(await failureOf(object.answer)).toMatchObject({
      code: 'service-answer-no-array',
      why: 'It reported: "Come back later.".',
    });
  });
});
