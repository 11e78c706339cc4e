import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startStaticServer } from '../../src/lib/static-server/server.ts';
import { startSampleService } from '../../src/sample-service/index.ts';
import { build, configFor, temporaryFolder } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { PHONE, visit } from '../support/page.ts';
import { sharedBrowser } from '../support/shared.ts';

const browser = await sharedBrowser();
const folder = await forAllTests(temporaryFolder());
const server = await forAllTests(
  startStaticServer({ folder: path.join(folder.path, 'site'), port: 0 }),
);
const service = await forAllTests(
  startSampleService({ dealers: 1, vehicles: 2, images: 2, pictureScale: 0.25 }),
);

it("texts are in the site's own font, at every weight, and nothing moves", async () => {
  const font = createRequire(import.meta.url).resolve(
    '@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2',
  );
  const { error } = await build(
    configFor(service, {
      site: { title: 'Test Motors', url: server.url.replace(/\/$/, ''), font },
    }),
    folder.path,
  );
  if (error) throw error;
  await using visited = await visit(browser, server.url, PHONE);
  const { page, problems, requests } = visited;
  // A first visit may be over before the font is there: the second has it in its cache.
  await page.goto(`${server.url}dealer-1/`);
  await page.evaluate('document.fonts.ready');
  expect(await page.evaluate("document.fonts.check('650 17px Site')")).toBe(true);
  const debug = await page.context().newCDPSession(page);
  await debug.send('DOM.enable');
  await debug.send('CSS.enable');
  const { root } = await debug.send('DOM.getDocument');
  const { nodeId } = await debug.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'h1' });
  const { fonts } = await debug.send('CSS.getPlatformFontsForNode', { nodeId });
  expect(fonts.map(({ familyName }) => familyName)).toEqual([expect.stringMatching(/^Figtree/)]);
  expect(requests.filter((address) => address.includes('font.woff2')).length).toBeGreaterThan(0);
  const shifts = await page.evaluate(`(async () => {
    let shifts = 0;
    const watch = new PerformanceObserver((list) => (shifts += list.getEntries().length));
    watch.observe({ type: 'layout-shift', buffered: true });
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    return shifts + watch.takeRecords().length;
  })()`);
  expect(shifts).toBe(0);
  expect(problems).toEqual([]);
});
