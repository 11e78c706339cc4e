import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type HostHttpOptions, hostHttp } from '../../../src/deploy/host-api/http.ts';
import type { HttpClient } from '../../../src/lib/http/http.ts';
import { describeNetworkFault, pauseBeforeRetry, waitOf } from '../../../src/lib/http/retry.ts';
import { failureOf, testClock } from '../../support/hosts/world.ts';
import { serve } from '../../support/server.ts';

const TOKEN = 'marker-token-1';

type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => unknown;

/** A host that responds with a function, and its client. */
async function worldOf(handle: Handler) {
  const clock = testClock();
  const abort = new AbortController();
  const seen: { at: number; token: string | undefined }[] = [];
  const waits: string[] = [];
  const server = await serve(async (request, response) => {
    seen.push({ at: clock.time, token: request.headers.authorization });
    handle(request, response, await buffer(request));
  });
  onTestFinished(() => server.close());
  const http = (options: Partial<HostHttpOptions> = {}): HttpClient => {
    const client = hostHttp({
      code: 'testhost',
      name: 'The test host',
      fix: 'Look.',
      signal: abort.signal,
      onWait: (text) => waits.push(text),
      clock,
      ...options,
    });
    onTestFinished(() => client[Symbol.asyncDispose]());
    return client;
  };
  return { url: server.url, clock, abort, seen, waits, http };
}
/** A host that refuses each request with a status. */
const refusing = (status: number, headers = {}, body = '') =>
  worldOf((_, response) => response.writeHead(status, headers).end(body));
type World = Awaited<ReturnType<typeof worldOf>>;

const ask = (world: World, http = world.http(), more = {}) =>
  http.send({
    method: 'GET',
    url: `${world.url}/x`,
    headers: { authorization: `Bearer ${TOKEN}` },
    what: 'the list',
    ...more,
  });
describe('a request to a host', () => {
  it('returns the response and is counted', async () => {
    const world = await worldOf((_, response, body) => response.end(`got ${body.length}`));
    const http = world.http();
    const answer = await ask(world, http, { method: 'POST', body: 'häuser' });
    expect(answer.bytes.toString()).toBe('got 7');
    expect(http.counts).toEqual({ requests: 1, up: 7, down: 5 });
  });

  it.each([500, 502, 503, 408, 429])('is retried after %d, five times', async (status) => {
    const world = await refusing(status);
    const error = await failureOf(ask(world));
    expect(error).toMatchObject({ code: 'testhost-unreachable', exitCode: 4 });
    expect(error.why).toContain(`status ${status}`);
    expect(world.clock.slept).toEqual([1000, 2000, 4000, 8000, 16_000]);
    expect(world.seen).toHaveLength(6);
  });

  it('is retried with new headers after a lost connection', async () => {
    const world = await worldOf((request, response) =>
      world.seen.length < 3 ? request.socket.destroy() : response.end('ok'),
    );
    let times = 0;
    const sign = async () => ({ authorization: `try ${++times}` });
    const answer = await ask(world, world.http(), { sign });
    expect(answer.status).toBe(200);
    expect(world.seen.map(({ token }) => token)).toEqual(['try 1', 'try 2', 'try 3']);
  });

  it('reports a refusal immediately with the message of the host, without the request body', async () => {
    const world = await worldOf((request, response) =>
      response.writeHead(403).end(`no entry for ${request.headers.authorization}`),
    );
    const error = await failureOf(ask(world));
    expect(error).toMatchObject({ code: 'testhost-refused', exitCode: 3 });
    expect(error.why).toContain('no entry for');
    expect(inspect(error)).not.toContain(TOKEN);
    expect(world.seen).toHaveLength(1);
  });

  it('follows no redirect, which would send the token along', async () => {
    const other = await worldOf((_, response) => response.end('taken'));
    const world = await refusing(302, { location: `${other.url}/y` });
    expect((await failureOf(ask(world))).code).toBe('testhost-refused');
    expect(other.seen).toEqual([]);
  });

  it('returns expected statuses, and refuses others after retries', async () => {
    const world = await worldOf((request, response) =>
      response.writeHead(request.url === '/x' ? 404 : 401).end(),
    );
    expect((await ask(world, world.http(), { also: [404] })).status).toBe(404);
    const error = await failureOf(
      ask(world, world.http(), { url: `${world.url}/y`, retryable: [401, 404] }),
    );
    expect(error.code).toBe('testhost-refused');
    expect(world.seen).toHaveLength(7);
  });

  it('makes all requests wait as the host asks, and reports it once', async () => {
    const world = await worldOf((_, response) => {
      if (world.seen.length > 1) response.end('ok');
      else response.writeHead(429, { 'retry-after': '40' }).end();
    });
    const began = world.clock.time;
    const http = world.http();
    await ask(world, http);
    await ask(world, http);
    expect(world.clock.time - began).toBe(40_000);
    expect(world.waits).toEqual(['The test host asks to wait 40 s.']);
  });

  it('does not wait for more than a quarter of an hour', async () => {
    const world = await refusing(429, { 'retry-after': '901' });
    const unreachable = { code: 'testhost-unreachable', exitCode: 4 };
    expect(await failureOf(ask(world))).toMatchObject(unreachable);
    expect(world.clock.slept).toEqual([]);
    const often = await refusing(429, { 'retry-after': '400' });
    expect(await failureOf(ask(often))).toMatchObject(unreachable);
    expect(often.seen).toHaveLength(3);
  });

  it('ends immediately if the command is interrupted', async () => {
    const world = await worldOf(() => world.abort.abort());
    await expect(ask(world)).rejects.toMatchObject({ name: 'AbortError' });
    await expect(ask(world)).rejects.toMatchObject({ name: 'AbortError' });
    expect(world.seen).toHaveLength(1);
  });

  it.each([
    ['{"code":401,"message":"Access Denied"}', 'Access Denied'],
    [
      '{"errors":[{"code":9109,"message":"Invalid token"},{"message":"No"}]}',
      'Invalid token (9109); No',
    ],
    ['{"errors":[]}', '{"errors":[]}'],
    [`{"message":"no ${TOKEN}"}`, 'no [secret]'],
  ])('reports the response of a host as text: %s', async (body, words) => {
    const world = await refusing(403, {}, body);
    expect((await failureOf(ask(world))).why).toBe(`It reported: "${words}".`);
  });

  it('allows large bodies the time that slow lines need', async () => {
    const world = await worldOf((_, response) => {
      setTimeout(() => response.end('{}'), 1000);
    });
    const http = world.http({ deadline: 300, retries: 0 });
    expect(await failureOf(ask(world, http, { method: 'POST', body: 'small' }))).toMatchObject({
      code: 'testhost-unreachable',
    });
    // 3 MB in 30 seconds.
    const body = Buffer.alloc(3_000_000);
    expect(await ask(world, http, { method: 'POST', body })).toMatchObject({ status: 200 });
  });
});

/** A server whose clock is far from this machine's. */
const date = 'Thu, 01 Jan 2015 00:00:00 GMT';
const seconds = Date.parse(date) / 1000;

describe('retry timing', () => {
  it.each<[Record<string, string>, number, status?: number]>([
    [{}, 0],
    [{ 'retry-after': ' 7 ', 'x-ratelimit-reset': String(seconds + 9) }, 7000],
    [{ 'retry-after': '7s' }, 0],
    [{ 'retry-after': 'Thu, 01 Jan 2015 00:01:00 GMT' }, 60_000],
    [{ 'retry-after': 'Wed, 01 Jan 2014 00:00:00 GMT' }, 0],
    // Without the server's clock, this machine's is used.
    [{ 'retry-after': 'Thu, 01 Jan 2015 00:01:00 GMT', date: '' }, 0],
    [{ 'retry-after': 'soon', 'x-ratelimit-reset': String(seconds + 40) }, 40_000],
    [{ 'x-ratelimit-reset': String(seconds + 40) }, 0, 503],
    [{ 'x-ratelimit-reset': String(seconds - 40) }, 0],
    [{ 'x-ratelimit-reset': 'soon' }, 0],
  ])('headers %j ask to wait %s ms', (headers, wait, status = 429) => {
    expect(waitOf(status, new Headers({ date, ...headers }))).toBe(wait);
  });

  it.each([
    // It backs off with jitter up to a limit.
    [{ attempt: 1, random: 0 }, 125],
    [{ attempt: 1, random: 1 }, 500],
    [{ attempt: 3, random: 1 }, 2000],
    [{ attempt: 30, random: 1 }, 20_000],
    // It follows the service up to the limit and gives up beyond it.
    [{ retryAfter: 4000 }, 4000],
    [{ retryAfter: 5000 }, 5000],
    [{ retryAfter: 6000 }, undefined],
    [{ retryAfter: 0, random: 1 }, 500],
  ])('after %j, the pause is %s ms', (given, pause) => {
    const options = { attempt: 1, random: 0.5, maxRetryAfter: 5000, ...given };
    expect(pauseBeforeRetry(options)).toBe(pause);
  });
});

describe('a network fault', () => {
  const COMPANY_PROXY =
    'its certificate is not trusted (if a company proxy issued it, set NODE_USE_SYSTEM_CA=1 outside of .env)';
  const coded = (code: unknown) => Object.assign(new Error('secret'), { code });
  it.each([
    ['ECONNREFUSED', 'the connection was refused'],
    ['UND_ERR_INVALID_ARG', 'its address or credentials have characters that no request can have'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'its server does not use https at this address'],
    ['SELF_SIGNED_CERT_IN_CHAIN', COMPANY_PROXY],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', COMPANY_PROXY],
    ['Z_DATA_ERROR', 'its compressed response is damaged'],
    ['EODD', 'network fault EODD'],
    ['', 'network fault'],
    [7, 'network fault'],
  ])('%s is reported only as text', (code, description) => {
    const within = new Error('fetch failed', { cause: coded(code) });
    expect([coded(code), within].map(describeNetworkFault)).toEqual([description, description]);
  });

  it.each([
    [new DOMException('x', 'TimeoutError'), /^no response before the deadline$/],
    ['text', /^network fault$/],
  ])('is reported for %s', (fault, description) => {
    expect(describeNetworkFault(fault)).toMatch(description);
  });
});
