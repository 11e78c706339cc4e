import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { build, configFor, readTree } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { serve } from '../support/server.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 2, media: 'none' }));
const [first = '', second = ''] = service.data.dealers[0]?.vehicles.map(({ vrm }) => vrm) ?? [];
const TOKEN = 'stock-token-4f9b21c07d';

/** The requests to the dealer's system, and its response. */
const asked: IncomingMessage[] = [];
let answer: (response: ServerResponse, request: IncomingMessage) => void;
const { url: origin } = await forAllTests(
  serve((request, response) => {
    asked.push(request);
    answer(response, request);
  }),
);

const listed = (price: string) =>
  `plate;make;model;price\n${first};Skoda;Octavia;${price}\n${second};Ford;Focus;£8,500\n`;

/** The list with an ETag, as a web server sends it. */
const withEtag =
  (text: string, etag = '"one"') =>
  (response: ServerResponse, { headers }: IncomingMessage) =>
    headers['if-none-match'] === etag
      ? response.writeHead(304).end()
      : response.writeHead(200, { etag }).end(text);

let folder: string;
beforeEach(() => {
  folder = tempFolder();
  asked.length = 0;
});

async function buildFrom(
  address: string,
  { credentials, ...options }: { credentials?: string; strict?: boolean; processes?: number } = {},
) {
  const stock = { file: address, ...(credentials && { credentialsEnv: 'STOCK_TOKEN' }) };
  const config = configFor(
    service,
    { dealers: [{ id: 7001, name: 'Northgate', slug: 'northgate', stock }] },
    { STOCK_TOKEN: credentials },
  );
  const result = await build(config, folder, options);
  const vehicle = path.join(result.output, 'northgate', 'media.json');
  return { ...result, text: existsSync(vehicle) ? readFileSync(vehicle, 'utf8') : '' };
}

describe('a stock list from a URL', () => {
  it('is downloaded once while it is unchanged', async () => {
    answer = withEtag(listed('£12,200'));
    const first = await buildFrom(`${origin}/export.csv`);
    expect(first.text).toContain('"priceValue":12200');
    expect((await buildFrom(`${origin}/export.csv`)).report.outcome).toBe('unchanged');
    expect(asked.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"one"']);
    answer = withEtag(listed('£11,900'), '"two"');
    expect((await buildFrom(`${origin}/export.csv`)).text).toContain('"priceValue":11900');
  });

  it('is downloaded completely if the copy in the cache is lost or damaged', async () => {
    answer = withEtag(listed('£12,200'));
    await buildFrom(`${origin}/export.csv`);
    const cache = path.join(folder, 'cache', 'stock');
    const [name = ''] = readdirSync(cache);
    const intact = readFileSync(path.join(cache, name));
    for (const damage of [
      () => writeFileSync(path.join(cache, name), intact.subarray(0, -20)),
      () => writeFileSync(path.join(cache, name), 'no copy'),
      () => rmSync(cache, { recursive: true }),
    ]) {
      damage();
      asked.length = 0;
      const { error, text } = await buildFrom(`${origin}/export.csv`);
      expect(error).toBeUndefined();
      expect(text).toContain('"priceValue":12200');
      expect(asked.map(({ headers }) => headers['if-none-match'])).toEqual([undefined]);
    }
  });

  it.each([
    [TOKEN, `Bearer ${TOKEN}`],
    [`dealer:${TOKEN}`, `Basic ${Buffer.from(`dealer:${TOKEN}`).toString('base64')}`],
  ])(
    'is requested with the credentials %s, which are stored nowhere',
    async (credentials, header) => {
      // URLs of pictures in the list contain the credentials.
      const list = listed('£12,200').replace('price', 'price;photo');
      answer = (response, { headers }) =>
        headers.authorization === header
          ? response.end(list.replace(/(?<=\d)$/gm, `;https://dms.example/?key=${credentials}`))
          : response.writeHead(401).end('no');
      const { text, lines, report } = await buildFrom(`${origin}/e.csv?key=${TOKEN}x`, {
        credentials,
      });
      expect(text).toContain('"priceValue":12200');
      const files = await readTree(folder);
      for (const content of [...files.values(), lines.join('\n'), JSON.stringify(report)]) {
        expect(content).not.toContain(TOKEN);
      }
    },
  );

  it('is not the list of another dealer, who has other credentials at the same URL', async () => {
    await using two = await startService({ dealers: 2, vehicles: 2, media: 'none' });
    const stock = { file: `${origin}/export.csv` };
    const { dealers } = two.data;
    const config = configFor(
      two,
      {
        dealers: dealers.map(({ id, name }, index) => {
          const credentialsEnv = `TOKEN_${index}`;
          return { id, name, slug: `dealer-${index}`, stock: { ...stock, credentialsEnv } };
        }),
      },
      { TOKEN_0: 'token-of-dealer-0', TOKEN_1: 'token-of-dealer-1' },
    );
    answer = (response, { headers }) => {
      const index = Number(headers.authorization?.at(-1));
      // All lists are exported at the same time.
      const changed = 'Thu, 01 Jan 2026 03:00:00 GMT';
      if (headers['if-modified-since'] === changed) return response.writeHead(304).end();
      const plates = dealers[index]?.vehicles.map(({ vrm }) => `${vrm};${index + 1}000\n`);
      const text = `plate;price\n${plates?.join('')}`;
      return response.writeHead(200, { 'last-modified': changed }).end(text);
    };
    for (const _night of [1, 2]) {
      const { output, report } = await build(config, folder);
      expect(report.attention).toEqual([]);
      for (const index of [0, 1]) {
        const text = readFileSync(path.join(output, `dealer-${index}`, 'media.json'), 'utf8');
        expect(text.match(/"priceValue":\d+/g)).toEqual(
          Array(2).fill(`"priceValue":${index + 1}000`),
        );
      }
    }
  });

  it('follows redirects only within its origin', async () => {
    await using other = await serve((request, response) => {
      asked.push(request);
      response.end(listed('£1'));
    });
    const elsewhere = `${other.url}/stolen.csv`;
    answer = (response, { url }) =>
      url === '/new.csv'
        ? response.end(listed('£12,200'))
        : response.writeHead(302, { location: url === '/old.csv' ? '/new.csv' : elsewhere }).end();
    expect((await buildFrom(`${origin}/old.csv`, { credentials: TOKEN })).text).toContain('12200');
    asked.length = 0;
    const { report, text } = await buildFrom(`${origin}/away.csv`, { credentials: TOKEN });
    // Only the first URL was requested, and the copy of the last build is used.
    expect(asked.map(({ url }) => url)).toEqual(['/away.csv']);
    expect(JSON.stringify(report.attention)).toContain('The copy of the last build is used');
    expect(text).toContain('"priceValue":12200');
  });

  it.each([
    ['a login page', '<!DOCTYPE html><html><form>', 200, 'is a web page or XML, not CSV or JSON'],
    ['an error', 'gone', 404, 'could not be fetched. Its server responded with status 404'],
    ['half a list', listed('£12,200').slice(0, -30), 200, 'is incomplete'],
    ['too many bytes', 'x'.repeat(21 * 2 ** 20), 200, 'fetched. It is larger than 21.0 MB. '],
  ])('%s does not replace the last good list', async (_, body, status, why) => {
    answer = (response) => response.end(listed('£12,200'));
    await buildFrom(`${origin}/export.csv`);
    answer = (response) => response.writeHead(status).end(body);
    const { report, text } = await buildFrom(`${origin}/export.csv`, { strict: true });
    expect(JSON.stringify(report.attention)).toContain(why);
    expect(report.exitCode).toBe(8);
    expect(text).toContain('"priceValue":12200');
  });

  it('without a response or an earlier list stops the first build like a missing file', async () => {
    const { error, text } = await buildFrom('http://127.0.0.1:9/export.csv');
    expect(error).toMatchObject({ code: 'stock-list-unreachable', exitCode: 4 });
    expect(text).toBe('');
  });
});
