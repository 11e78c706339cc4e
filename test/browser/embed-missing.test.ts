import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openExternalSite } from '../support/external-site.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { FAILED, visit } from '../support/page.ts';
import { serve } from '../support/server.ts';
import { sharedBrowser, sharedShowroom } from '../support/shared.ts';

const browser = await sharedBrowser();
const showroom = await sharedShowroom();
const foreign = await forAllTests(openExternalSite());

/** A host with our embed.js and one response for all other URLs. Status 0 ends the connection, -1 leaves it open. */
async function hostWith({ status = 0, body = '', location = '' }) {
  const script = await readFile(path.join(showroom.output, 'embed.js'), 'utf8');
  return serve(({ url = '' }, response) => {
    if (url === '/embed.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
    } else if (status === 0) {
      response.destroy();
    } else if (status > 0) {
      const target = location && { location: new URL(url, location).href };
      response.writeHead(status, { 'content-type': 'text/html', ...target }).end(body);
    }
  });
}

/** A page of another website with an element for each of some attributes. */
const pageWith = (home: string, ...attributes: string[]) =>
  foreign.page(
    `<script async src="${home}embed.js"></script>
${attributes.map((more) => `<vehicle-media ${more}><a href="/">A car</a></vehicle-media>`).join('')}
<script>
window.warned = [];
console.warn = (...all) => { warned.push(all.join(' ')) };
// Whether visitors saw a frame at any time.
window.seen = false;
setInterval(() => {
  for (const { shadowRoot } of document.querySelectorAll('vehicle-media')) {
    const frame = shadowRoot?.querySelector('iframe');
    if (frame && getComputedStyle(frame).visibility !== 'hidden') window.seen = true;
  }
}, 5);
</script>`,
  );

const LISTED = 'dealer="northgate" vrm="AB12CDE"';

const stateOf = (page: Page) => page.locator('vehicle-media').first().getAttribute('state');

async function showsFallback(page: Page) {
  const media = page.locator('vehicle-media');
  const all = await media.count();
  const gone = () => page.locator('vehicle-media[state=gone]').count();
  await expect.poll(gone).toBe(all);
  expect(await page.locator('vehicle-media iframe').count()).toBe(0);
  expect(await page.locator('vehicle-media a:visible').count()).toBe(all);
  expect(await page.evaluate('window.seen')).toBe(false);
  const warning = expect.stringMatching(/^vehicle-media not found: http.*\/embed\//);
  expect(await page.evaluate('window.warned')).toEqual(Array(all).fill(warning));
}

describe('<vehicle-media> shows the text inside it instead of a foreign page', () => {
  it('for an unknown dealer, a plate that is not listed, and a vehicle whose page is gone', async () => {
    const url = pageWith(
      showroom.server.url,
      'dealer="nobody" vrm="AB12CDE"',
      'dealer="northgate" vrm="NOPE1"',
      `src="${showroom.server.url}embed/northgate/sold/"`,
    );
    await using page = await visit(browser, foreign.page(''), { expected: FAILED });
    // Our 404 page reports itself, so the element does not wait for its time limit, which never ends here.
    await page.addInitScript(
      'const { setTimeout } = self; self.setTimeout = (act, time) => time < 1000 && setTimeout(act, time)',
    );
    await page.goto(url);
    await showsFallback(page);
  });

  it('if the host answers 404, answers with its own page, or does not answer', async () => {
    const answers = [
      { status: 404, body: '<h1>Oops</h1>' },
      { status: 200, body: '<h1>Welcome</h1>' },
      {},
    ];
    // In parallel, because the element waits for seconds before its fallback.
    await Promise.all(
      answers.map(async (answer) => {
        await using host = await hostWith(answer);
        const url = pageWith(`${host.url}/`, LISTED);
        await using page = await visit(browser, url, { expected: FAILED });
        await showsFallback(page);
      }),
    );
  });
});

it('<vehicle-media> shows the text inside it after 30 seconds if the host never responds', async () => {
  await using host = await hostWith({ status: -1 });
  await using page = await visit(browser, foreign.page(''));
  await page.clock.install();
  // The page itself is never loaded completely.
  await page.goto(pageWith(`${host.url}/`, LISTED), { waitUntil: 'commit' });
  await page.locator('vehicle-media iframe').waitFor({ state: 'attached' });
  await page.clock.runFor(31_000);
  await expect.poll(() => page.locator('vehicle-media a:visible').count()).toBe(1);
});

it('<vehicle-media> follows its site to another domain', async () => {
  await using old = await hostWith({ status: 301, location: showroom.server.url });
  await using page = await visit(browser, pageWith(`${old.url}/`, LISTED));
  await expect.poll(() => stateOf(page)).toBe('ready');
});

it('<vehicle-media> on a page with the scripts of two sites shows a vehicle of either site', async () => {
  await using other = await hostWith({ status: 404, body: '<h1>Oops</h1>' });
  await using page = await visit(browser, foreign.page(''), { expected: FAILED });
  // The second script is slow.
  await page.route(`${showroom.server.url}embed.js`, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await route.continue();
  });
  const first = `<script src="${other.url}/embed.js"></script>`;
  const second = `<script async src="${showroom.server.url}embed.js"></script>`;
  const vehicles = [
    [`src="${showroom.server.url}embed/northgate/ab12cde/"`, 'ready'],
    [LISTED, 'ready'],
    ['src="https://evil.example/embed/a/b/"', 'gone'],
  ];
  const media = vehicles.map(([more]) => `<vehicle-media ${more}>A car</vehicle-media>`).join('');
  const events = `<script>window.gone = 0;
addEventListener('vehicle-media-gone', () => { window.gone += 1 });</script>`;
  await page.goto(foreign.page(events + first + media + second + first));
  const states = () =>
    page.locator('vehicle-media').evaluateAll((all) => all.map((one) => one.getAttribute('state')));
  await expect.poll(states).toEqual(vehicles.map(([, state]) => state));
  expect(await page.evaluate('window.gone')).toBe(1);
});

it('<vehicle-media> waits for its vehicle on a slow connection', async () => {
  await using page = await visit(browser, foreign.page(''));
  await page.route('**/plates.json', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 4000));
    await route.continue();
  });
  await page.goto(pageWith(showroom.server.url, LISTED));
  await expect.poll(() => stateOf(page)).toBe('ready');
});

it('<vehicle-media> keeps its gallery if the website removes its state, as page refreshes of Turbo do', async () => {
  await using page = await visit(browser, foreign.page(''));
  await page.clock.install();
  await page.goto(pageWith(showroom.server.url, LISTED));
  await expect.poll(() => stateOf(page)).toBe('ready');
  await page.locator('vehicle-media').evaluate((node) => node.removeAttribute('state'));
  await page.clock.runFor(31_000);
  expect(await page.locator('vehicle-media iframe').count()).toBe(1);
});

it('<vehicle-media> in a shadow root reports its state to the page', async () => {
  const html = `<main></main><script>window.states = [];
for (const state of ['ready', 'gone']) addEventListener('vehicle-media-' + state, ({ target }) => states.push(state + target.localName));
document.querySelector('main').attachShadow({ mode: 'closed' }).innerHTML = '<vehicle-media ${LISTED}></vehicle-media>';
</script><script async src="${showroom.server.url}embed.js"></script>`;
  await using page = await visit(browser, foreign.page(html));
  await expect.poll(() => page.evaluate('states')).toEqual(['readymain']);
});

describe('a plain frame', () => {
  it('shows its picture when a hidden tab with the frame is opened', async () => {
    const src = `${showroom.server.url}embed/northgate/ab12cde/`;
    const html = `<div hidden><iframe src="${src}" width="600"></iframe></div>`;
    await using page = await visit(browser, foreign.page(html));
    await page.waitForLoadState('networkidle');
    await page.locator('div').evaluate((node) => node.removeAttribute('hidden'));
    const stage = page.frameLocator('iframe').locator('.stage');
    await expect.poll(() => stage.locator('img').first().isVisible()).toBe(true);
    expect(await stage.locator('.nopicture').count()).toBe(0);
  });

  it('shows one line instead of the 404 page of the site', async () => {
    const url = foreign.page(
      `<iframe src="${showroom.server.url}embed/nobody/find/#vrm=A"></iframe>`,
    );
    await using page = await visit(browser, url, { expected: FAILED });
    const frame = page.frameLocator('iframe');
    await expect.poll(() => frame.locator('body > *').count()).toBe(1);
    expect(await frame.locator('body').textContent()).toBe(
      'This page does not exist, or the vehicle has been sold.',
    );
  });

  it('links to the dealer if scripts are disabled', async () => {
    const url = foreign.page(
      `<iframe src="${showroom.server.url}embed/northgate/find/#vrm=AB12CDE"></iframe>`,
    );
    await using page = await visit(browser, url, { javaScriptEnabled: false });
    const link = page.frameLocator('iframe').locator('a:visible');
    await expect.poll(() => link.allTextContents()).toEqual(['Northgate Cars']);
  });
});
