import { afterEach, describe, expect, it } from 'vitest';
import { type SampleService, startSampleService } from '../../src/sample-service/index.ts';
import { forAllTests } from '../support/for-all-tests.ts';

const service = await forAllTests(startSampleService());
const url = `${service.baseUrl}/PublicAPI/GetMediaByDealer?apiKey=${service.mediaKey}&dealerId=7001`;

afterEach(() => {
  service.faults.clear();
  service.requests.clear();
});

/** The code of the network error behind a failed fetch. */
async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    return cause?.code ?? (error as Error).name;
  }
  return 'no failure';
}

describe('faults', () => {
  it('answer with a status and headers for a given number of requests', async () => {
    service.faults.set({ route: 'media', status: 503, headers: { 'retry-after': '2' }, times: 2 });
    const first = await fetch(url);
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, '2']);
    expect((await fetch(url)).status).toBe(503);
    expect((await fetch(url)).status).toBe(200);
  });

  it('only affect the given route, dealer or path', async () => {
    service.faults.set({ route: 'media', dealerId: 7002, status: 500 });
    service.faults.set({ route: 'picture', match: /\/100000001\.jpg$/g, status: 410 });
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(url.replace('7001', '7002'))).status).toBe(500);
    const picture = (id: number) =>
      fetch(`${service.baseUrl}/pictures/${id}.jpg`, { headers: { 'if-none-match': '*' } });
    expect((await picture(100_000_001)).status).toBe(410);
    expect((await picture(100_000_001)).status).toBe(410);
    expect((await picture(100_000_002)).status).toBe(304);
  });

  it('delay, hang or reset the connection', async () => {
    const start = performance.now();
    service.faults.set({ route: 'media', delayMs: 150, times: 1 });
    expect((await fetch(url)).status).toBe(200);
    expect(performance.now() - start).toBeGreaterThanOrEqual(145);
    service.faults.set({ route: 'media', hang: true, times: 1 });
    expect(await failure(fetch(url, { signal: AbortSignal.timeout(150) }))).toBe('TimeoutError');
    service.faults.set({ route: 'media', reset: true });
    expect(await failure(fetch(url))).toBe('ECONNRESET');
  });

  it('cut the body half-way through the announced length', async () => {
    const fullLength = (await (await fetch(url)).arrayBuffer()).byteLength;
    service.faults.set({ route: 'media', truncate: true });
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe(String(fullLength));
    let received = 0;
    const read = async () => {
      for await (const chunk of response.body ?? []) received += chunk.length;
    };
    expect(await failure(read())).not.toBe('no failure');
    expect(received).toBeGreaterThan(0);
    expect(received).toBeLessThan(fullLength);
    expect(service.requests.list('media').at(-1)).toMatchObject({ status: 200, complete: false });
  });

  it('answer with another body or a redirect', async () => {
    const next = async (fault: Parameters<SampleService['faults']['set']>[0]) => {
      service.faults.set({ ...fault, route: 'media', times: 1 });
      return fetch(url, { redirect: 'manual' });
    };
    const wrong = await next({ body: '<!doctype html>' });
    expect(wrong.headers.get('content-type')).toMatch(/json/);
    await expect(wrong.json()).rejects.toThrow(SyntaxError);
    expect(await (await next({ body: '{"a":1}' })).json()).toEqual({ a: 1 });
    expect(await (await next({ status: 429, body: 'slow down' })).text()).toBe('slow down');
    const moved = await next({ status: 302, headers: { location: 'https://elsewhere.example/' } });
    expect([moved.status, moved.headers.get('location')]).toEqual([
      302,
      'https://elsewhere.example/',
    ]);
  });

  it('can be removed one by one', async () => {
    const back = service.faults.set({ status: 500 });
    expect((await fetch(service.baseUrl)).status).toBe(500);
    back();
    expect((await fetch(service.baseUrl)).status).toBe(200);
  });
});

describe('request log', () => {
  it('lists the requests without any key', async () => {
    await (await fetch(url, { headers: { 'if-none-match': '"x"' } })).arrayBuffer();
    const [entry] = service.requests.list();
    expect(entry).toMatchObject({
      route: 'media',
      method: 'GET',
      path: '/PublicAPI/GetMediaByDealer',
      query: { apiKey: '[key]', dealerId: '7001' },
      headers: { 'if-none-match': '"x"' },
    });
    expect(JSON.stringify(entry)).not.toContain(service.mediaKey);
  });

  it('counts the bytes sent for pictures', async () => {
    const picture = `${service.baseUrl}/pictures/100000001.jpg`;
    const { byteLength } = await (await fetch(picture)).arrayBuffer();
    const sent = (): number => service.requests.bytes('picture');
    await expect.poll(sent).toBeGreaterThan(byteLength);
    const before = sent();
    expect(before).toBeLessThan(byteLength + 1000);
    await fetch(picture, { headers: { 'if-none-match': '*' } });
    await expect.poll(sent).toBeGreaterThan(before);
    expect(sent()).toBeLessThan(before + 1000);
  });
});
