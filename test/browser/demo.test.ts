import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { VehicleMediaRecord } from '../../src/contract/media.ts';
import { vehicleSlug } from '../../src/stock/address.ts';
import { DEVICES, violationsInBothColours } from '../support/axe.ts';
import { openDemo } from '../support/demo.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { invalid } from '../support/html.ts';
import { DESKTOP, visit } from '../support/page.ts';
import { sharedBrowser } from '../support/shared.ts';

const browser = await sharedBrowser();
// Half as many pictures, and small ones: they take most of the time of `npm start`.
const demo = await forAllTests(openDemo({ pictureScale: 0.15, images: 2 }));

/** Part of the URL of the first dealer's first vehicle with a special feature. */
function vehicle(special: (record: VehicleMediaRecord) => boolean): string {
  const found = demo.service.data.dealers[0]?.vehicles.find(special);
  if (!found) throw new Error('The demo has no such vehicle.');
  return `northgate-cars/${vehicleSlug(found.vrm)}/`;
}

/** Kinds of pages that no other test has. One per dealer, because each has a different colour. */
const PAGES: Record<string, () => string> = {
  'front page': () => '',
  'list of the first dealer': () => 'northgate-cars/',
  'list of the second dealer': () => 'riverside-motors/',
  'list of a dealer without a separate list page': () => 'harbour-street-autos/',
  'vehicle with most media': () => demo.fullest,
  'vehicle with an odd plate': () => vehicle(({ vrm }) => !/^[A-Z0-9]+$/.test(vrm)),
};

describe.each(DEVICES)('the demo, %s: axe finds nothing', async (_, device) => {
  const page = await forAllTests(visit(browser, demo.server.url, device));

  it.each(Object.entries(PAGES))('%s', async (_name, part) => {
    await page.goto(`${demo.server.url}${part()}`);
    expect(await violationsInBothColours(page)).toEqual([]);
  });
});

/**
 * Links with several texts and nothing between them in the accessibility tree. A screen reader (Orca with Chromium)
 * reads the texts of such a link as one: "ET17 THURiverside Motors".
 */
async function linksReadAsOneWord(page: Page): Promise<string[]> {
  const client = await page.context().newCDPSession(page);
  const { nodes } = await client.send('Accessibility.getFullAXTree');
  const children = (parent: string): typeof nodes =>
    nodes
      .filter(({ parentId }) => parentId === parent)
      .flatMap((node) => (node.ignored ? children(node.nodeId) : [node]));
  return nodes
    .filter(({ role }) => role?.value === 'link')
    .filter(({ nodeId, name }) => {
      const parts = children(nodeId);
      const text = parts.map((part) => part.name?.value).join('');
      const areTexts = parts.every(({ role }) => role?.value === 'StaticText');
      return parts.length > 1 && areTexts && text !== name?.value;
    })
    .map(({ name }) => name?.value);
}

it('screen readers pause between the texts of a link', async () => {
  await using page = await visit(browser, demo.server.url, DESKTOP);
  const embed = () => `embed/${demo.fullest}`;
  for (const part of [...Object.values(PAGES), embed]) {
    await page.goto(`${demo.server.url}${part()}`);
    expect(await linksReadAsOneWord(page), part()).toEqual([]);
  }
});

it('every page of the demo is valid HTML', async () => {
  const files = (await readdir(demo.folder, { recursive: true })).filter((file) =>
    file.endsWith('.html'),
  );
  const vehicles = demo.service.data.dealers.flatMap((dealer) => dealer.vehicles).length;
  const ofMakes = files.filter((file) => file.split(path.sep).includes('make'));
  expect(ofMakes.length).toBeGreaterThan(1);
  // Each vehicle has a page and an embed page. Each dealer has a list, a finder and a page with snippets.
  // Three pages are shared.
  const others = files.length - ofMakes.length;
  expect(others).toBe(2 * vehicles + 3 * demo.service.data.dealers.length + 3);
  const findings = await Promise.all(
    files.map(async (file) => [
      file,
      await invalid(await readFile(path.join(demo.folder, file), 'utf8')),
    ]),
  );
  expect(findings.filter(([, messages]) => messages?.length)).toEqual([]);
});
