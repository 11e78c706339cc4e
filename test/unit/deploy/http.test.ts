import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { type HostHttpOptions, hostHttp } from '../../../src/deploy/host-api/http.ts';
import type { HttpClient } from '../../../src/lib/http/client.ts';
import type { Clock } from '../../../src/lib/http/http.ts';
import { waitOf } from '../../../src/lib/http/retry.ts';
import { failureOf } from '../../support/hosts/world.ts';

const TOKEN = 'marker-token-77';

type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** A host on loopback that answers as the test says, and time that passes as it is slept. */
class World implements AsyncDisposable {
  readonly slept: number[] = [];
  readonly waits: string[] = [];
  readonly seen: { url: string; at: number; token: string | undefined }[] = [];
  readonly abort = new AbortController();
  time = 1_700_000_000_000;
  readonly clock: Clock = {
    now: () => this.time,
    sleep: async (ms) => {
      this.slept.push(ms);
      this.time += ms;
    },
  };
  readonly #server;
  readonly #http: HttpClient[] = [];

  constructor(handle: Handler) {
    this.#server = createServer(async (request, response) => {
      const { authorization } = request.headers;
      this.seen.push({ url: request.url ?? '', at: this.time, token: authorization });
      handle(request, response, await buffer(request));
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  http(options: Partial<HostHttpOptions> = {}): HttpClient {
    const http = hostHttp({
      code: 'testhost',
      name: 'The test host',
      fix: 'Look.',
      signal: this.abort.signal,
      onWait: (text) => this.waits.push(text),
      clock: this.clock,
      ...options,
    });
    this.#http.push(http);
    return http;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#http.map((http) => http[Symbol.asyncDispose]()));
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const worlds: World[] = [];
const worldOf = async (handle: Handler): Promise<World> => {
  const world = await new World(handle).start();
  worlds.push(world);
  return world;
};
afterEach(async () => {
  for (const world of worlds.splice(0)) await world[Symbol.asyncDispose]();
});

const ask = (world: World, http = world.http(), more = {}) =>
  http.send({
    method: 'GET',
    url: `${world.url}/x`,
    headers: { authorization: `Bearer ${TOKEN}` },
    what: 'the list',
    ...more,
  });
describe('a request to a host', () => {
  it('brings the answer, and is counted', async () => {
    const world = await worldOf((_, response, body) => response.end(`got ${body.length}`));
    const http = world.http();
    const answer = await ask(world, http, { method: 'POST', body: 'häuser' });
    expect(answer.bytes.toString()).toBe('got 7');
    expect(http.counts).toEqual({ requests: 1, up: 7, down: 5 });
  });

  it.each([500, 502, 503, 408, 429])('is tried again after %d, five times', async (status) => {
    const world = await worldOf((_, response) => response.writeHead(status).end());
    const error = await failureOf(ask(world));
    expect(error).toMatchObject({ code: 'testhost-unreachable', exitCode: 4 });
    expect(error.why).toContain(`status ${status}`);
    expect(world.slept).toEqual([1000, 2000, 4000, 8000, 16_000]);
    expect(world.seen).toHaveLength(6);
  });

  it('is tried again after a cut connection, with headers made anew', async () => {
    const world = await worldOf((request, response) =>
      world.seen.length < 3 ? request.socket.destroy() : response.end('ok'),
    );
    let times = 0;
    const sign = async () => ({ authorization: `try ${++times}` });
    const answer = await ask(world, world.http(), { sign });
    expect(answer.status).toBe(200);
    expect(world.seen.map(({ token }) => token)).toEqual(['try 1', 'try 2', 'try 3']);
  });

  it('is told as refused at once, in the words of the host, without what it was sent', async () => {
    const world = await worldOf((request, response) =>
      response.writeHead(403).end(`no entry for ${request.headers.authorization}`),
    );
    const error = await failureOf(ask(world));
    expect(error).toMatchObject({ code: 'testhost-refused', exitCode: 3 });
    expect(error.why).toContain('no entry for');
    expect(inspect(error)).not.toContain(TOKEN);
    expect(world.seen).toHaveLength(1);
  });

  it('follows no redirect: it would take the token along', async () => {
    const other = await worldOf((_, response) => response.end('taken'));
    const world = await worldOf((_, response) =>
      response.writeHead(302, { location: `${other.url}/y` }).end(),
    );
    expect((await failureOf(ask(world))).code).toBe('testhost-refused');
    expect(other.seen).toEqual([]);
  });

  it('gives back statuses that are answers, and tries others again twice', async () => {
    const world = await worldOf((request, response) =>
      response.writeHead(request.url === '/x' ? 404 : 401).end(),
    );
    expect((await ask(world, world.http(), { also: [404] })).status).toBe(404);
    const error = await failureOf(
      ask(world, world.http(), { url: `${world.url}/y`, again: [401, 404] }),
    );
    expect(error.code).toBe('testhost-refused');
    expect(world.seen).toHaveLength(4);
  });

  it.each([
    ['retry-after', () => '40'],
    ['retry-after', (now: number) => new Date(now + 40_000).toUTCString()],
    ['x-ratelimit-reset', (now: number) => String((now + 40_000) / 1000)],
    ['x-ratelimit-reset', () => '40'],
  ])('waits as long as %s asks for, all requests do, and says so once', async (name, value) => {
    const world = await worldOf((_, response) => {
      if (world.seen.length > 1) response.end('ok');
      else response.writeHead(429, { [name]: value(world.time) }).end();
    });
    const began = world.time;
    const http = world.http();
    await ask(world, http);
    await ask(world, http);
    expect(world.time - began).toBe(40_000);
    expect(world.waits).toEqual(['The test host asks to wait 40 s.']);
  });

  it('does not wait for more than a quarter of an hour', async () => {
    const world = await worldOf((_, response) =>
      response.writeHead(429, { 'retry-after': '901' }).end(),
    );
    expect(await failureOf(ask(world))).toMatchObject({ code: 'deploy-limit', exitCode: 4 });
    expect(world.slept).toEqual([]);
    const often = await worldOf((_, response) =>
      response.writeHead(429, { 'retry-after': '400' }).end(),
    );
    expect(await failureOf(ask(often))).toMatchObject({ code: 'deploy-limit' });
    expect(often.seen).toHaveLength(3);
  });

  it('keeps to a number of requests in a time', async () => {
    const world = await worldOf((_, response) => response.end());
    const http = world.http({ pace: { requests: 3, window: 60_000 } });
    const began = world.time;
    for (let n = 0; n < 7; n++) await ask(world, http);
    const times = world.seen.map(({ at }) => at - began);
    for (const from of times) {
      const within = times.filter((at) => at >= from && at < from + 60_000);
      expect(within.length).toBeLessThanOrEqual(3);
    }
    expect(times.at(-1)).toBe(120_000);
    expect(world.waits).toHaveLength(2);
  });

  it('ends at once where the command is interrupted', async () => {
    const world = await worldOf(() => world.abort.abort());
    await expect(ask(world)).rejects.toMatchObject({ name: 'AbortError' });
    await expect(ask(world)).rejects.toMatchObject({ name: 'AbortError' });
    expect(world.seen).toHaveLength(1);
  });

  it('tells a host that is not there', async () => {
    const world = await worldOf(() => {});
    const error = await failureOf(ask(world, world.http(), { url: 'http://127.0.0.1:1/' }));
    expect(error).toMatchObject({ code: 'testhost-unreachable' });
    expect(error.why).toContain('refused');
  });

  it.each([
    ['{"code":401,"message":"Access Denied"}', 'Access Denied'],
    [
      '{"errors":[{"code":9109,"message":"Invalid token"},{"message":"No"}]}',
      'Invalid token (9109); No',
    ],
    ['{"errors":[]}', '{"errors":[]}'],
    [`{"message":"no ${TOKEN}"}`, 'no [secret]'],
  ])('tells what a host says in words: %s', async (body, words) => {
    const world = await worldOf((_, response) => response.writeHead(403).end(body));
    expect((await failureOf(ask(world))).why).toBe(`It says: "${words}"`);
  });

  it('gives large bodies the time that slow lines need', async () => {
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

it('asks for no wait where a host says nothing that can be read', () => {
  expect(waitOf(new Headers({ 'x-ratelimit-reset': 'soon' }), 0)).toBeUndefined();
  expect(waitOf(new Headers(), 0)).toBeUndefined();
});
