import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { GateError } from '../../../src/errors.ts';
import { getMediaByDealer } from '../../../src/service/media-by-dealer.ts';
import { failureOf, inTurn, startAnswerServer } from '../../support/answer-server.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const KEY = 'a1b2c3d4-1234-5678-9abc-a1b2c3d4e5f6';
const LIMITS = { timeout: 5000, totalTimeout: 8000, retries: 0, maxRetryAfter: 50, maxBytes: 1000 };

let cacheDir: string;
beforeEach(() => {
  cacheDir = tempFolder();
});

async function shop(...answers: Parameters<typeof inTurn>) {
  const { url, asked } = await startAnswerServer(inTurn(...answers));
  const dealer = { id: 7, name: 'Northgate', apiKey: new Secret(KEY) };
  const service = { ...LIMITS, baseUrl: url } as never;
  const get = (options: { maxAge?: string } = { maxAge: '1h' }) =>
    getMediaByDealer({ service, dealer, cacheDir, ...options });
  return { get, asked };
}
/** State of a new process: eleventy-fetch caches missing files within a process. */
const nextProcess = () => {
  const folder = path.join(cacheDir, 'moved');
  const all = readdirSync(cacheDir);
  mkdirSync(folder);
  for (const name of all) renameSync(path.join(cacheDir, name), path.join(folder, name));
  cacheDir = folder;
};
/** File names of the stored copies. */
const copies = () => readdirSync(cacheDir).filter((name) => name.endsWith('.buffer'));
const overwrite = (text: string) => {
  for (const name of copies()) writeFileSync(path.join(cacheDir, name), text);
};

describe("a copy of a dealer's vehicles", () => {
  it('is used without a request while it is recent', async () => {
    const { get, asked } = await shop([200, '["Škoda"]'], [200, '[2]']);
    expect(await get()).toEqual(['Škoda']);
    nextProcess();
    expect(await get()).toEqual(['Škoda']);
    expect(asked).toHaveLength(1);
    expect(await get({ maxAge: '0s' })).toEqual([2]);
    expect(await get()).toEqual([2]);
    expect(asked).toHaveLength(2);
  });

  it('that is too old is not used if the service fails', async () => {
    const { get } = await shop([200, '[1]'], [404, '']);
    await get();
    nextProcess();
    for (const name of readdirSync(cacheDir).filter((one) => !one.endsWith('.buffer'))) {
      const file = path.join(cacheDir, name);
      const copy = JSON.parse(readFileSync(file, 'utf8')) as object;
      writeFileSync(file, JSON.stringify({ ...copy, cachedAt: 0 }));
    }
    expect((await failureOf(get())).code).toBe('service-refused-404');
  });

  it('has a file name with the dealer and without readable parts of the URL', async () => {
    await (await shop([200, '[1]'])).get();
    expect(copies()).toHaveLength(1);
    for (const name of readdirSync(cacheDir)) {
      expect(name).toMatch(/^media-by-dealer-7-[0-9a-f]{12}-[0-9a-f]{8}(\.buffer)?$/);
    }
  });

  it('is specific to the service', async () => {
    await (await shop([200, '[1]'])).get();
    expect(await (await shop([200, '[2]'])).get()).toEqual([2]);
    expect(copies()).toHaveLength(2);
  });

  it.each(['["torn', '{"not":"a list"}'])(
    'that is %s is replaced by a new response',
    async (text) => {
      const { get, asked } = await shop([200, '[1]'], [200, '[2]']);
      await get();
      nextProcess();
      overwrite(text);
      writeFileSync(path.join(cacheDir, 'other'), 'of somebody else');
      expect(await get()).toEqual([2]);
      expect(await get()).toEqual([2]);
      expect(readFileSync(path.join(cacheDir, 'other'), 'utf8')).toBe('of somebody else');
      expect(asked).toHaveLength(2);
    },
  );
});

describe('the vehicles of a dealer', () => {
  it('are returned if the copy cannot be written', async () => {
    cacheDir = path.join(cacheDir, 'file');
    writeFileSync(cacheDir, '');
    const { get } = await shop([200, '[1]']);
    expect(await get()).toEqual([1]);
  });

  it('are requested each time, by dealer, and not stored', async () => {
    const { get, asked } = await shop([200, '[1]'], [200, '[2]']);
    expect([await get({}), await get({})]).toEqual([[1], [2]]);
    expect(readdirSync(cacheDir)).toEqual([]);
    expect(asked[0]?.pathname).toBe('/PublicAPI/GetMediaByDealer');
    expect(asked[0]?.searchParams.get('dealerId')).toBe('7');
  });

  it.each([{}, { maxAge: '0s' }])('cannot be read if the service fails: %j', async (options) => {
    const { get, asked } = await shop([200, '[1]'], [404, ''], [200, '{}']);
    await get(options);
    expect((await failureOf(get(options))).code).toBe('service-refused-404');
    const error = await failureOf(get(options));
    expect(error).toBeInstanceOf(GateError);
    expect(error.code).toBe('service-answer-no-array');
    expect(error.message).toContain('dealer 7 (Northgate)');
    expect(asked).toHaveLength(3);
  });
});
