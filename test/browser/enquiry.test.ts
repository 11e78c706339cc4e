import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { DEVICES, violationsInBothColours } from '../support/axe.ts';
import { launchBrowser } from '../support/browser.ts';
import { type Fields, openProviders } from '../support/enquiry-providers.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { invalid } from '../support/html.ts';
import { FAILED, phoneOf, type VisitOptions, visit } from '../support/page.ts';
import { openSite, pictures, vehicle } from '../support/site.ts';

const KEY = '01234567-89ab-cdef-0123-456789abcdef';

const providers = await forAllTests(openProviders());
const STATISTICS = 'https://stats.example';
/** Enquiry target by slug of a dealer. By default it is the one of the site. */
const ENQUIRIES = {
  formspree: undefined,
  web3forms: { address: `https://api.web3forms.com/submit?access_key=${KEY}` },
  netlify: { netlify: 'cars-enquiry' },
  address: { address: providers.address },
  elsewhere: { address: providers.address.replace(/:\d+/, ':9') },
};
const { server, output } = await forAllTests(
  openSite({
    files: {
      'theme/partials/head.njk': `<script async src="${STATISTICS}/count.js"></script>`,
    },
    site: {
      enquiry: { address: 'https://formspree.io/f/mabcdxyz' },
      policy: { 'script-src': [STATISTICS], 'form-action': ['https://box.example'] },
    },
    dealers: Object.entries(ENQUIRIES).map(([slug, enquiry], index) => ({
      id: 7001 + index,
      name: `Cars by ${slug}`,
      slug,
      enquiry,
      contact: slug === 'elsewhere' ? { email: 'a@cars.example' } : { phone: '+44 1632 960001' },
      privacy: 'https://cars.example/privacy/',
      vehicles: [vehicle('AB12CDE', pictures(1, 1))],
    })),
  }),
);
providers.site = { url: server.url, folder: output };
const hosts = ['formspree.io', 'api.web3forms.com', 'stats.example'].map(
  (host) => `MAP ${host} 127.0.0.1:${providers.port}`,
);
const browser = await forAllTests(launchBrowser([`--host-resolver-rules=${hosts.join(',')}`]));

const pageOf = (slug: string, part = '') =>
  `${slug === 'netlify' ? providers.netlify : server.url}${part}${slug}/ab12cde/`;

const open = (slug: string, options: VisitOptions = {}) =>
  visit(browser, pageOf(slug), { ...options, ignoreHTTPSErrors: true });

const TYPED = {
  name: 'Ann O’Hara <b>',
  email: 'ann@buyer.example',
  phone: '01632 960002',
  message: 'Is it still there?\nCan I see it on Saturday?',
};

async function fill(page: Page): Promise<void> {
  for (const [name, value] of Object.entries(TYPED)) {
    await page.locator(`.enquiry [name=${name}]`).fill(value);
  }
}

const typed = (page: Page) =>
  page
    .locator('.enquiry label:not(.trap *) :is(input, textarea)')
    .evaluateAll((fields) => fields.map((field) => (field as unknown as { value: string }).value));

const send = (page: Page) => page.locator('.send button').click();
const state = (page: Page) => page.locator('.enquiry [role=status]');
const sentNote = (page: Page) => page.locator('#sent');

const withoutLines = (fields: Fields | undefined) =>
  Object.fromEntries(
    Object.entries(fields ?? {}).map(([name, text]) => [name, text.replaceAll('\r\n', '\n')]),
  );

/** Fields that each provider gets in addition to the typed text. */
const OWN: Record<string, Fields> = {
  formspree: { _subject: 'Enquiry about AB12 CDE', _gotcha: '' },
  web3forms: { access_key: KEY, subject: 'Enquiry about AB12 CDE' },
  netlify: { 'form-name': 'cars-enquiry', subject: 'Enquiry about AB12 CDE', 'bot-field': '' },
  address: { subject: 'Enquiry about AB12 CDE', _gotcha: '' },
};
const TRAPS: Record<string, string> = {
  formspree: '_gotcha',
  web3forms: 'botcheck',
  netlify: 'bot-field',
};
const BACK: Record<string, string> = { formspree: '_next', web3forms: 'redirect' };

describe.each(Object.entries(OWN))('an enquiry through %s', (slug, fields) => {
  const canonical = `${server.url}${slug}/ab12cde/`;
  const expected = { ...TYPED, ...fields, vehicle: 'AB12 CDE', plate: 'AB12 CDE', page: canonical };

  it('is sent once without leaving the page, even if the button is pressed repeatedly', async () => {
    await using page = await open(slug, { expected: FAILED });
    await fill(page);
    const before = providers.sent.length;
    await page.locator('.send button').dblclick();
    await expect.poll(() => sentNote(page).isVisible()).toBe(true);
    expect(providers.sent.slice(before).map(withoutLines)).toEqual([expected]);
    expect(await page.locator('.enquiry form').isVisible()).toBe(false);
    expect(await page.evaluate('document.activeElement.id')).toBe('sent');
    expect(page.url()).toBe(`${pageOf(slug)}#sent`);
    await page.reload();
    await expect.poll(() => page.locator('.enquiry form').isVisible()).toBe(true);
    expect(await sentNote(page).isVisible()).toBe(false);
    const trap = TRAPS[slug];
    if (trap === undefined) return;
    // The provider discards a message if a robot fills in the hidden field.
    await fill(page);
    const field = page.locator(`[name=${trap}]`);
    expect(await field.isVisible()).toBe(false);
    await field.evaluate((input) => {
      Object.assign(input, { value: 'cheap pills', checked: true });
    });
    const answer = page.waitForResponse((response) => response.request().method() === 'POST');
    await send(page);
    await answer;
    expect(providers.sent.length).toBe(before + 1);
  });

  it('is posted without scripts, and the page confirms it', async () => {
    await using page = await open(slug, { javaScriptEnabled: false });
    expect(await sentNote(page).isVisible()).toBe(false);
    await fill(page);
    const before = providers.sent.length;
    await send(page);
    await expect.poll(() => sentNote(page).isVisible()).toBe(true);
    const back = BACK[slug];
    expect(withoutLines(providers.sent[before])).toEqual({
      ...expected,
      ...(back && { [back]: `${canonical}#sent` }),
    });
    expect(page.url()).toBe(`${pageOf(slug)}#sent`);
  });
});

describe('after a failure the typed text stays and can be sent again', () => {
  async function failsThenWorks(page: Page, message: RegExp, repair: () => Promise<void> | void) {
    await fill(page);
    const before = providers.sent.length;
    await page.locator('[name=email]').press('Enter');
    await expect.poll(() => state(page).textContent()).toMatch(message);
    expect(await typed(page)).toEqual(Object.values(TYPED));
    expect(await sentNote(page).isVisible()).toBe(false);
    await repair();
    await send(page);
    await expect.poll(() => sentNote(page).isVisible()).toBe(true);
    expect(providers.sent.length).toBe(before + 1);
  }

  it.each([
    ['refusal', /^Something went wrong.* The <b>box<\/b> is full\.$/],
    ['refusal with status 200', /^Something went wrong.* The <b>box<\/b> is full\.$/],
    ['fault', /^Something went wrong[^<]*directly\. *$/],
  ] as const)('%s', async (trouble, message) => {
    await using page = await open('address', { expected: FAILED });
    providers.trouble = trouble;
    await failsThenWorks(page, message, () => {});
  });

  it('if no response arrives in time; until then the button is disabled', async () => {
    await using page = await open('address');
    // The real limit of the page, shortened.
    await page.addInitScript(`{
      const timeout = AbortSignal.timeout.bind(AbortSignal);
      AbortSignal.timeout = (length) => timeout((window.limit = length) / 20);
    }`);
    await page.reload();
    providers.trouble = 'silence';
    await fill(page);
    await send(page);
    await expect.poll(() => state(page).textContent()).toBe('Sending…');
    expect(await page.locator('.send button').isDisabled()).toBe(true);
    await expect.poll(() => state(page).textContent()).toMatch(/^Something went wrong/);
    expect(await page.evaluate('window.limit')).toBe(15_000);
    expect(await page.evaluate('document.activeElement.tagName')).toBe('BUTTON');
    expect(await typed(page)).toEqual(Object.values(TYPED));
    await page.keyboard.press('Enter');
    await expect.poll(() => sentNote(page).isVisible()).toBe(true);
  });

  it('if the device is offline', async () => {
    await using page = await open('formspree', { expected: FAILED });
    await page.context().setOffline(true);
    await failsThenWorks(page, /^You are offline/, () => page.context().setOffline(false));
  });

  it('if the host is unreachable', async () => {
    await using page = await open('elsewhere', { expected: FAILED });
    await fill(page);
    await send(page);
    await expect.poll(() => state(page).textContent()).toMatch(/^Something went wrong/);
    expect(await typed(page)).toEqual(Object.values(TYPED));
  });

  it('the provider redirects to the confirmation page of the site', async () => {
    await using page = await open('address');
    providers.trouble = 'redirect';
    await fill(page);
    await send(page);
    await expect.poll(() => sentNote(page).isVisible()).toBe(true);
  });
});

/** Name of the field that has the focus, if it or its label is covered or not on the screen. */
const HIDDEN = `(() => {
  const field = document.activeElement;
  const { left, right, top, bottom } = field.getBoundingClientRect();
  const label = field.parentNode.firstElementChild.getBoundingClientRect();
  const corners = [[left + 12, top + 12], [right - 12, top + 12], [left + 12, bottom - 12], [right - 12, bottom - 12]];
  const isSeen = label.top >= 0 && bottom <= innerHeight &&
    corners.every(([x, y]) => document.elementFromPoint(x, y) === field);
  return isSeen ? '' : field.name;
})()`;

describe('the form on a phone', () => {
  it('begins with a message after the first button and has a button in the dealer’s colour', async () => {
    await using page = await open('formspree', phoneOf(360, 740));
    const link = page.locator('.about .contacts .button').first();
    expect(await link.textContent()).toMatch(/^\s*Ask about this vehicle\s*$/);
    await link.click();
    const heading = page.locator('#enquiry-heading');
    await expect
      .poll(() => heading.evaluate((one) => one.getBoundingClientRect().top))
      .toBeLessThan(200);
    expect(await typed(page)).toEqual([
      '',
      '',
      '',
      'I am interested in this vehicle: AB12 CDE. Is it still available?',
    ]);
    const colour = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
    expect(await colour('.send .button')).toBe(await colour('.bar .button'));
  });

  it('a focused field stays visible and uncovered beside a keyboard, and when the phone is turned', async () => {
    await using page = await open('formspree', phoneOf(360, 740));
    for (const [width, height] of [
      [360, 380],
      [740, 360],
    ] as const) {
      const hidden: unknown[] = [];
      for (const name of Object.keys(TYPED)) {
        await page.setViewportSize({ width: 360, height: 740 });
        await page.evaluate('scrollTo(0, 0)');
        await page.locator(`.enquiry [name=${name}]`).focus();
        hidden.push(await page.evaluate(HIDDEN));
        await page.setViewportSize({ width, height });
        await page.evaluate('new Promise((then) => setTimeout(then, 100))');
        hidden.push(await page.evaluate(HIDDEN));
      }
      expect(hidden, `${width}`).toEqual(hidden.map(() => ''));
      await page.locator(':focus').blur();
    }
  });

  it('is linked from the bar if the dealer has no phone', async () => {
    await using page = await open('elsewhere', phoneOf(360, 740));
    await page.evaluate('scrollTo(0, innerHeight)');
    expect(await page.locator('.bar .button').allInnerTexts()).toEqual(['Ask about this vehicle']);
    await page.locator('.bar .button').click();
    await expect.poll(() => page.evaluate('location.hash')).toBe('#enquiry');
  });
});

describe('the page', () => {
  it('runs a script of a host in site.policy', async () => {
    await using page = await open('formspree');
    await expect.poll(() => page.evaluate('window.counted')).toBe(1);
  });

  it.each(DEVICES)('has no accessibility fault before and after sending: %s', async (_, device) => {
    await using page = await open('formspree', device);
    expect(await violationsInBothColours(page)).toEqual([]);
    await fill(page);
    await send(page);
    await expect.poll(() => sentNote(page).isVisible()).toBe(true);
    expect(await violationsInBothColours(page)).toEqual([]);
  });

  it('is valid HTML and only allows the host of its form', async () => {
    const read = (file: string) => readFile(path.join(output, file), 'utf8');
    const policyOf = async (file: string) =>
      /http-equiv="Content-Security-Policy" content="([^"]*)"/
        .exec(await read(file))?.[1]
        ?.replaceAll('&#39;', "'");
    const opens = "script-src 'self' 'inline-speculation-rules' https://stats.example;";
    const formspree = await policyOf('formspree/ab12cde/index.html');
    expect(formspree).toContain(opens);
    expect(formspree).toContain("connect-src 'self' https://formspree.io;");
    expect(formspree).toMatch(/form-action https:\/\/box\.example 'self' https:\/\/formspree\.io$/);
    const netlify = await policyOf('netlify/ab12cde/index.html');
    expect(netlify).toContain("connect-src 'self';");
    expect(netlify).toMatch(/form-action https:\/\/box\.example 'self'$/);
    for (const other of [
      'index.html',
      'formspree/index.html',
      'embed/formspree/ab12cde/index.html',
    ]) {
      expect(await policyOf(other), other).toContain(opens);
      expect(await policyOf(other), other).toContain("connect-src 'self';");
      expect(await policyOf(other), other).toMatch(/form-action https:\/\/box\.example$/);
    }
    const headers = await read('_headers');
    expect(headers).toContain('https://formspree.io https://api.web3forms.com');
    for (const slug of Object.keys(OWN)) {
      expect(await invalid(await read(`${slug}/ab12cde/index.html`))).toEqual([]);
    }
    expect(await read('formspree/index.html')).not.toContain('enquiry.js');
  });
});
