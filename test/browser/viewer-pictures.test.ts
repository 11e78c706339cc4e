import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startStaticServer } from '../../src/lib/static-server/server.ts';
import { startSampleService } from '../../src/sample-service/index.ts';
import { build, configFor, temporaryFolder } from '../support/build.ts';
import { DESKTOP, PHONE, visit } from '../support/page.ts';
import { sharedBrowser } from '../support/shared.ts';

/** Sizes of originals: one larger than every screen, and a hundred of which a page loads few. */
const LARGE = 1100;
const MANY = Array.from({ length: 100 }, (_, index) => 1200 + index);

const browser = await sharedBrowser();

/** A site with larger pictures for the viewer. */
async function openSite() {
  const vehicle = (vrm: string, ids: number[]) => ({
    vrm,
    dateUpdated: '2026-03-01T10:00:00Z',
    mediaList: ids.map((id) => ({
      id,
      type: 'Image' as const,
      label: '',
      mediaUrl: `{base_url}/pictures/${id}.jpg`,
    })),
  });
  const service = await startSampleService({
    data: {
      dealers: [
        {
          id: 7001,
          name: 'North',
          vehicles: [vehicle('AB12CDE', [LARGE]), vehicle('CD34EFG', MANY)],
        },
      ],
      accounts: [],
      pictures: Object.fromEntries([
        [LARGE, { width: 2700, height: 2025, orientation: 1 }],
        ...MANY.map((id) => [id, { width: 400, height: 300, orientation: 1 }]),
      ]),
    },
  });
  const folder = await temporaryFolder();
  const config = configFor(service, {
    dealers: [{ id: 7001, name: 'North', slug: 'north' }],
    media: { widths: [320, 1280], viewerWidths: [1600, 2560] },
  });
  const { output, error } = await build(config, folder.path);
  if (error) throw error;
  const server = await startStaticServer({ folder: output, port: 0 });
  return {
    url: server.url,
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await service.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Width of the file that a picture is shown from. */
const shownWidth = (page: Page) =>
  page
    .locator('dialog .slide img')
    .first()
    .evaluate((image) =>
      Number(/-(\d+)-\w+\.webp$/.exec((image as never as { currentSrc: string }).currentSrc)?.[1]),
    );

it('takes the file of the size of the screen, of the enlargement, and no more; few of a hundred', async () => {
  await using site = await openSite();
  const open = async (vehicle: string, device: BrowserContextOptions) => {
    const visited = await visit(browser, `${site.url}north/${vehicle}/`, device);
    await visited.page.locator('.gallery .full').click();
    await visited.page.locator('dialog[open]').waitFor();
    return visited;
  };
  {
    await using visited = await open('ab12cde', PHONE);
    const { page, requests } = visited;
    await expect.poll(() => shownWidth(page)).toBe(1280);
    // On its side the picture is as high as the screen, and no wider than 520 points.
    await page.setViewportSize({ width: 844, height: 390 });
    await page.locator('dialog .zoom').waitFor();
    expect(requests.filter((url) => /-(1600|2560)-/.test(url))).toEqual([]);
    await page.locator('dialog .zoom').tap();

    await expect.poll(() => shownWidth(page)).toBe(2560);
  }
  {
    await using visited = await open('ab12cde', { viewport: { width: 1920, height: 1080 } });
    await expect.poll(() => shownWidth(visited.page)).toBe(1600);
    expect(visited.requests.filter((url) => /-2560-/.test(url))).toEqual([]);
  }
  // 50 kB a second, 400 ms to the server and back.
  await using visited = await visit(browser, `${site.url}north/cd34efg/`, DESKTOP);
  const { page, requests, problems } = visited;
  const client = await page.context().newCDPSession(page);
  await client.send('Network.enable');
  await client.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 400,
    downloadThroughput: 50_000,
    uploadThroughput: 50_000,
  });
  await page.locator('.gallery .full').click();
  // What the page has loaded is there at once.
  expect(
    await page.evaluate("document.querySelector('dialog[open] .slide img').naturalWidth"),
  ).toBeGreaterThan(0);
  for (let turn = 0; turn < 4; turn++) await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.locator('dialog .counter').textContent()).toBe('5 of 100');
  const isShown =
    "(() => { const { complete, naturalWidth } = document.querySelectorAll('dialog .slide img')[4]; return complete && naturalWidth > 0; })()";
  await expect.poll(() => page.evaluate(isShown), { timeout: 15_000 }).toBe(true);
  const pictures = new Set(requests.flatMap((url) => /\/media\/(.+?)-/.exec(url)?.[1] ?? []));
  expect(pictures.size).toBeLessThan(45);
  await page.keyboard.press('End');
  await expect.poll(() => page.locator('dialog .counter').textContent()).toBe('100 of 100');
  expect(problems).toEqual([]);
});
