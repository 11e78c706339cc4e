import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startStaticServer } from '../../src/lib/static-server/server.ts';
import { build, configFor, temporaryFolder } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { sharedBrowser } from '../support/shared.ts';

const browser = await sharedBrowser();
const folder = await forAllTests(temporaryFolder());
const service = await forAllTests(startService({ dealers: 1, vehicles: 3, images: 3 }));
const result = await build(configFor(service), folder.path);
const server = await forAllTests(startStaticServer({ folder: result.output, port: 0 }));

describe('a vehicle page in a real browser', () => {
  it('loads every thumbnail, starts a hosted video, and asks no other host', async () => {
    expect(result.error).toBeUndefined();
    const vehicle = service.data.dealers[0]?.vehicles.find(({ mediaList }) =>
      mediaList.some(({ hostedVideoUrl }) => hostedVideoUrl),
    );
    const page = await browser.newPage();
    const problems: string[] = [];
    const hosts = new Set<string>();
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    await page.goto(`${server.url}dealer-1/${vehicle?.vrm.toLowerCase()}/`);
    for (const image of await page.locator('main img:visible').all()) {
      await image.scrollIntoViewIfNeeded();
      await expect
        .poll(() =>
          image.evaluate(
            (node: { complete?: boolean; naturalWidth?: number }) =>
              node.complete === true && (node.naturalWidth ?? 0) > 0,
          ),
        )
        .toBe(true);
    }
    await page.locator('[data-play]').first().click();
    const frame = page.frameLocator('main iframe').first();
    await expect.poll(() => frame.locator('main').getAttribute('data-state')).toBe('playing');
    expect(problems).toEqual([]);
    expect([...hosts].sort()).toEqual(
      [new URL(server.url).host, new URL(service.baseUrl).host].sort(),
    );
  }, 60_000);

  it('says 404 for what does not exist', async () => {
    const page = await browser.newPage();
    const answer = await page.goto(`${server.url}${randomBytes(4).toString('hex')}/`);
    expect(answer?.status()).toBe(404);
    await expect(page.locator('h1').textContent()).resolves.toBe('Page not found');
  });
});
