import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import debug from 'debug';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configSchema } from '../../src/config/schema.ts';
import { Secret } from '../../src/config/secret.ts';
import { AppError, describeError } from '../../src/errors.ts';
import { getMediaByDealer } from '../../src/service/media-by-dealer.ts';
import { readTree, temporaryFolder } from '../support/build.ts';
import { isCommand } from './corpus/driving.ts';
import { type RawServer, startRawServer } from './raw-server.ts';

/** Like the keys of MyVideos, with characters that addresses, forms and markup encode. */
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

const encoded = encodeURIComponent(KEY);

const ECHOES: [name: string, act: Act, code: string][] = [
  ...[
    ['the key in its reason', `Unknown key ${KEY}`],
    ['the key in its reason, encoded', `GET /x?apiKey=${encoded}`],
    ['the key in its reason, in capitals', KEY.toUpperCase()],
    ['the key in its reason, over and over', KEY.repeat(1000)],
  ].map(([name = '', reason]): [string, Act, string] => [name, no(reason), 'service-refused-404']),
  ['the key in its reason, with status 200', no(KEY, '200 OK'), 'service-refused-200'],
  ['the key in an error page', raw('HTTP/1.1 400 No', `<h1>${KEY}</h1>`), 'service-refused-400'],
  ['the key in its status line', raw(`HTTP/1.1 403 ${KEY}`), 'service-refused-403'],
  ['the key in a header', raw(`HTTP/1.1 401 No\r\nx-key: ${KEY}`), 'service-refused-401'],
  ...[
    ['the key in an address', vehicle({ image: `https://a.example/?apiKey=${encoded}` })],
    ['the key in a plate', vehicle({ vrm: KEY })],
    ['the key as a field name', vehicle({ [KEY]: 1 })],
    ['the key in small letters', vehicle({ x: KEY.toLowerCase() })],
    ['the key without hyphens', vehicle({ x: KEY.replaceAll('-', '') })],
    ['the key in base64', vehicle({ x: base64(`user:${KEY}`) })],
    ['the key in base64 of other beginnings', vehicle({ x: base64(`us:${KEY}`) })],
    ['the key in hex', vehicle({ x: Buffer.from(KEY).toString('hex') })],
    ['the key as HTML', vehicle({ x: KEY.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`) })],
  ].map(([name, body]): [string, Act, string] => [
    `${name}`,
    ok([body]),
    'service-answer-holds-key',
  ]),
  ['the key in what is no list', ok({ key: KEY }), 'service-answer-holds-key'],
  [
    'a redirect with the key',
    raw(`HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/?apiKey=${encoded}`),
    'service-unreachable',
  ],
  ['nothing at all', (socket) => socket.destroy(), 'service-unreachable'],
  ['a reset', (socket) => socket.resetAndDestroy(), 'service-unreachable'],
  ['the key in place of HTTP', (socket) => socket.end(KEY), 'service-unreachable'],
  ['the key in text that is no JSON', ok(`[{"vrm": "${KEY}`), 'service-unreachable'],
];

const SHAPES: [name: string, act: Act, code: string][] = [
  ['an object', ok({}), 'service-answer-no-array'],
  ['null', ok('null'), 'service-answer-no-array'],
  ['a text', ok('"x"'), 'service-answer-no-array'],
  ['nothing', ok(''), 'service-unreachable'],
  ['HTML', ok('<!doctype html>'), 'service-unreachable'],
  ['half a list', ok('[{"vrm":'), 'service-unreachable'],
  ['two lists', ok('[][]'), 'service-unreachable'],
  ['JSON with a comment', ok('[/* x */]'), 'service-unreachable'],
  ['a list a hundred deep', ok(deep(50)), 'service-unreachable'],
  ['a list a hundred thousand deep', ok(deep(50_000)), 'service-unreachable'],
  ['more than is read', ok(`[${'"x",'.repeat(300_000)}1]`), 'service-answer-too-large'],
  [
    'a bomb',
    raw('HTTP/1.1 200 OK\r\ncontent-encoding: gzip', gzipSync(Buffer.alloc(50_000_000, 32))),
    'service-answer-too-large',
  ],
  [
    'a bomb in brotli',
    raw(
      'HTTP/1.1 200 OK\r\ncontent-encoding: br',
      brotliCompressSync(Buffer.alloc(50_000_000, 32)),
    ),
    'service-answer-too-large',
  ],
  [
    'a head without end',
    (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`),
    'service-unreachable',
  ],
  ['nothing for ever', () => {}, 'service-unreachable'],
  [
    'a body that drips',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n[');
      const drip = setInterval(() => socket.write(' '), 50);
      socket.on('close', () => clearInterval(drip));
    },
    'service-unreachable',
  ],
  ['a reason that is an object', no({ toString: 'x' }), 'service-refused-404'],
  [
    'a reason with a CI command',
    no('x\n::add-mask::y\n##[error]z\u001b[31m'),
    'service-refused-404',
  ],
  ['a reason of a million letters', no('x'.repeat(900_000)), 'service-refused-404'],
  ['a status that none knows', raw('HTTP/1.1 799 What', '[]'), 'service-unreachable'],
  [
    'a status without a body',
    (socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'),
    'service-unreachable',
  ],
  ['a part of a list', raw('HTTP/1.1 206 Partial Content', '[]'), 'service-unreachable'],
];

async function ask(server: RawServer, cacheDir: string): Promise<unknown> {
  const { service } = configSchema.parse({
    service: {
      baseUrl: `http://127.0.0.1:${server.port}`,
      timeout: '700ms',
    },
    site: { title: 'x', url: 'https://cars.example' },
  });
  return getMediaByDealer({
    service: {
      ...service,
      ...{ totalTimeout: 1500, retries: 1, maxBytes: 1_000_000, maxRetryAfter: 0 },
    },
    dealer: { id: 7001, name: 'One', apiKey: key },
    cacheDir,
  }).then(
    (answer) => {
      throw new Error(`it was believed: ${inspect(answer)}`);
    },
    (error: unknown) => error,
  );
}

/** What eleventy-fetch says about its work. */
const traced: string[] = [];
beforeAll(() => {
  debug.enable('*');
  debug.log = (...values: unknown[]) => traced.push(inspect(values, { depth: 9 }));
});
afterAll(() => debug.disable());

it('the key is sent nowhere but in the query of the service', () => {
  const source = readFileSync(new URL('../../src/service/get-json.ts', import.meta.url), 'utf8');
  expect(source.match(/reveal\(\)/g)).toHaveLength(1);
});

describe('a service that answers with', () => {
  it.concurrent.each([...ECHOES, ...SHAPES])(
    '%s is refused (%3$s), and no key is told',
    async (_name, act, code) => {
      await using folder = await temporaryFolder();
      const server = await startRawServer(act);
      try {
        const error = await ask(server, folder.path);
        expect(server.requests.join()).toContain('apiKey=');
        expect(error).toBeInstanceOf(AppError);
        expect((error as AppError).code).toBe(code);
        const told = [
          inspect(error, { depth: 9, showHidden: true }),
          JSON.stringify(error),
          describeError(error, { debug: true }),
          inspect([...(await readTree(folder.path))]),
        ].join('\n');
        expect(traced).not.toEqual([]);
        expect(key.occursIn(told + traced.join('\n'))).toBe(false);
        expect(told).not.toContain(KEY.slice(0, 13));
        expect(told.length).toBeLessThan(20_000);
        expect(describeError(error).split('\n').filter(isCommand)).toEqual([]);
      } finally {
        await server.close();
      }
    },
  );
});
