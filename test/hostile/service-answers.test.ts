import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/config/secret.ts';
import { describeError } from '../../src/errors.ts';
import { getMediaByDealer } from '../../src/service/media-by-dealer.ts';
import { readTree, temporaryFolder } from '../support/build.ts';
import { offlineConfig } from '../support/offline-config.ts';
import { failureOf } from '../support/thrown.ts';
import { isCommand } from './corpus/driving.ts';
import { startRawServer } from './raw-server.ts';

/** Like the keys of MyVideos, with characters that URLs, forms and markup encode. */
const KEY = '7D1f0aaB-9c3E-4b5d+8a6f/<&"0123456789ab';
const key = new Secret(KEY);

type Act = Parameters<typeof startRawServer>[0];
const raw =
  (head: string, body: string | Buffer = ''): Act =>
  (socket) => {
    const bytes = Buffer.from(body);
    socket.end(
      Buffer.concat([Buffer.from(`${head}\r\ncontent-length: ${bytes.length}\r\n\r\n`), bytes]),
    );
  };
const ok = (body: unknown): Act =>
  raw('HTTP/1.1 200 OK', typeof body === 'string' ? body : JSON.stringify(body));
const no = (message: unknown, status = '404 Not Found'): Act =>
  raw(`HTTP/1.1 ${status}`, JSON.stringify({ Success: false, Message: message }));
const vehicle = (change: object) => ({
  vrm: 'A',
  dateUpdated: '2026-01-01T00:00:00Z',
  mediaList: [],
  ...change,
});
const deep = (levels: number) => `[${'{"a":['.repeat(levels)}${']}'.repeat(levels)}]`;
const base64 = (text: string) => Buffer.from(text).toString('base64');

const BOMB = Buffer.alloc(10_000_000, 32);

/** Refused responses, by error code. */
const ANSWERS: Record<string, Record<string, Act>> = {
  'service-refused-404': {
    'the key in its reason': no(`Unknown key ${KEY}`),
    'the key in its reason, encoded': no(`GET /x?apiKey=${encodeURIComponent(KEY)}`),
    'the key in its reason, in capitals': no(KEY.toUpperCase()),
    'the key in its reason, over and over': no(KEY.repeat(1000)),
    'a reason that is an object': no({ toString: 'x' }),
    'a reason with a CI command': no('x\n::add-mask::y\n##[error]z\u001b[31m'),
    'a reason of a million letters': no('x'.repeat(900_000)),
  },
  'service-refused-200': {
    'the key in its reason, with status 200': no(KEY, '200 OK'),
  },
  'service-refused-400': {
    'the key in an error page': raw('HTTP/1.1 400 Bad Request', `<h1>${KEY}</h1>`),
  },
  'service-refused-403': {
    'the key in its status line': raw(`HTTP/1.1 403 ${KEY}`),
  },
  'service-refused-401': {
    'the key in a header': raw(`HTTP/1.1 401 No\r\nx-key: ${KEY}`),
  },
  'service-answer-holds-key': {
    ...Object.fromEntries(
      Object.entries({
        'the key in an address': { image: `https://a.example/?apiKey=${encodeURIComponent(KEY)}` },
        'the key in a plate': { vrm: KEY },
        'the key as a field name': { [KEY]: 1 },
        'the key in small letters': { x: KEY.toLowerCase() },
        'the key without hyphens': { x: KEY.replaceAll('-', '') },
        'the key in base64': { x: base64(`user:${KEY}`) },
        'the key in base64 of other beginnings': { x: base64(`us:${KEY}`) },
        'the key in hex': { x: Buffer.from(KEY).toString('hex') },
        'the key as HTML': { x: KEY.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`) },
      }).map(([name, change]) => [name, ok([vehicle(change)])]),
    ),
    'the key in an object instead of a list': ok({ key: KEY }),
    'the key with escapes of JSON': ok(
      JSON.stringify([vehicle({ x: KEY })]).replaceAll('+', '\\u002B'),
    ),
    'the key with escaped slashes': ok(
      JSON.stringify([vehicle({ x: KEY })]).replaceAll('/', '\\/'),
    ),
  },
  'service-unreachable': {
    'a redirect with the key': raw(
      `HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/?apiKey=${encodeURIComponent(KEY)}`,
    ),
    'nothing at all': (socket) => socket.destroy(),
    'a reset': (socket) => socket.resetAndDestroy(),
    'the key in place of HTTP': (socket) => socket.end(KEY),
    'the key in invalid JSON': ok(`[{"vrm": "${KEY}`),
    nothing: ok(''),
    HTML: ok('<!doctype html>'),
    'half a list': ok('[{"vrm":'),
    'two lists': ok('[][]'),
    'JSON with a comment': ok('[/* x */]'),
    'a list a hundred deep': ok(deep(50)),
    'a list a hundred thousand deep': ok(deep(50_000)),
    'a head without end': (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`),
    'nothing for ever': () => {},
    'a body that drips': (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n[');
      const drip = setInterval(() => socket.write(' '), 50);
      socket.on('close', () => clearInterval(drip));
    },
    'a status that none knows': raw('HTTP/1.1 799 What', '[]'),
    'a status without a body': (socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'),
    'a part of a list': raw('HTTP/1.1 206 Partial Content', '[]'),
  },
  'service-answer-no-array': {
    'an object': ok({}),
    null: ok('null'),
    'a text': ok('"x"'),
  },
  'service-answer-too-large': {
    'more than is read': ok(`[${'"x",'.repeat(300_000)}1]`),
    'a bomb': raw('HTTP/1.1 200 OK\r\ncontent-encoding: gzip', gzipSync(BOMB)),
    'a bomb in brotli': raw('HTTP/1.1 200 OK\r\ncontent-encoding: br', brotliCompressSync(BOMB)),
  },
};
const CASES = Object.entries(ANSWERS).flatMap(([code, all]) =>
  Object.entries(all).map(([name, act]) => ({ name, act, code })),
);

const LIMITS = { totalTimeout: 4500, retries: 1, maxBytes: 1_000_000, maxRetryAfter: 0 };
const { service } = offlineConfig();

const ask = (baseUrl: string, cacheDir: string) =>
  getMediaByDealer({
    service: { ...service, ...LIMITS, timeout: 2000, baseUrl },
    dealer: { id: 7001, name: 'One', apiKey: key },
    cacheDir,
    maxAge: '0s',
  });

it('the key is sent only in the query of the service', () => {
  const source = readFileSync(new URL('../../src/service/get-json.ts', import.meta.url), 'utf8');
  expect(source.match(/reveal\(\)/g)).toHaveLength(1);
});

describe('a service that responds with', () => {
  it.concurrent.each(CASES)(
    '$name is refused ($code) without printing a key',
    async ({ act, code }) => {
      await using folder = await temporaryFolder();
      await using server = await startRawServer(act);
      const error = await failureOf(ask(server.url, folder.path));
      expect(server.requests.join()).toContain('apiKey=');
      expect(error.code).toBe(code);
      const printed = [
        inspect(error, { depth: 9, showHidden: true }),
        JSON.stringify(error),
        describeError(error, { debug: true }),
        inspect([...(await readTree(folder.path))]),
      ].join('\n');
      expect(key.occursIn(printed)).toBe(false);
      expect(printed).not.toContain(KEY.slice(0, 13));
      expect(printed.length).toBeLessThan(20_000);
      expect(describeError(error).split('\n').filter(isCommand)).toEqual([]);
    },
  );
});
