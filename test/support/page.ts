import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
};
export const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 900 } };
/** Too narrow for pictures side by side. */
export const WINDOW: BrowserContextOptions = { viewport: { width: 800, height: 900 } };

/** The problem of a page whose requests fail. */
export const FAILED = 'Failed to load resource';

/** A phone with another screen. */
export const phoneOf = (width: number, height: number): BrowserContextOptions => ({
  ...PHONE,
  viewport: { width, height },
});

/** Gives the window another size, and waits until its page has it. */
export async function resize(page: Page, width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height });
  await expect
    .poll(() => page.evaluate('[innerWidth, innerHeight].join()'))
    .toBe(`${width},${height}`);
}

/** Position of the first of some elements. @throws an Error if it is not visible. */
export async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`${selector} is not shown`);
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
}

export interface Visit extends Page {
  /** Errors of the console and of scripts, including policy violations. */
  problems: string[];
  /** URLs of all requests. */
  requested: string[];
}

export interface VisitOptions extends BrowserContextOptions {
  /** Part of the problems that the test expects. */
  expected?: string;
}

/** Opens the filter of a list and ticks or unticks a value. */
export async function tick(page: Page, value: string): Promise<void> {
  await page.locator('.filter').click();
  await page.locator('.filters .check:visible', { hasText: value }).locator('input').click();
  await page.locator('.filters .shown').click();
}

/** Opens a URL in a separate context, which closes with the page. @throws then if there was an unexpected problem. */
export async function visit(
  browser: Browser,
  url: string,
  { expected, ...options }: VisitOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ ...DESKTOP, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => {
    // Chromium reports it for pages without scripts as well, if the next page opens or the test ends.
    if (error.message !== 'Transition was skipped') problems.push(String(error));
  });
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(url, { waitUntil: 'load' });
  const close = async () => {
    const unexpected = problems.filter((text) => !expected || !text.includes(expected));
    await context.close();
    expect(unexpected).toEqual([]);
  };
  return Object.assign(page, { problems, requested, [Symbol.asyncDispose]: close });
}

/** Sum of the layout shifts so far. */
export const layoutShift = (page: Page) =>
  page.evaluate<number>(`new Promise((resolve) => {
    let sum = 0;
    const add = (list) => list.getEntries().forEach(({ value }) => (sum += value));
    new PerformanceObserver(add).observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => resolve(sum), 300);
  })`);

/** Paths of the targets of links. */
export const pathsOf = (links: Locator) =>
  links.evaluateAll((all) => all.map((link) => (link as unknown as URL).pathname));

/** Width of the file of a picture in pixels. 0 if it is not loaded. */
export const loadedWidth = (picture: Locator) =>
  picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);

/** URL of the file that a picture is shown from. */
export const sourceOf = (picture: Locator) =>
  picture.evaluate((image) => (image as unknown as { currentSrc: string }).currentSrc);

/** Text at twice the usual size, as set in a browser. */
export async function enlargeText(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send('Page.enable');
  await client.send('Page.setFontSizes', { fontSizes: { standard: 32 } });
  await page.reload();
  expect(await page.evaluate('getComputedStyle(document.documentElement).fontSize')).toBe('32px');
}

/** Words with letters on two lines, in parts of a page with short columns. */
export const brokenWords = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll(':is(h2, .dealers *, .similar *, .neighbours *, .bar *, .where *, .comparison *, .footer *)')]
    .filter((node) => node.checkVisibility())
    .flatMap((node) => [...node.childNodes].filter(({ nodeType }) => nodeType === 3))
    .flatMap((text) => [...text.data.matchAll(/[^\\s-]+/g)].filter(({ 0: word, index }) => {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      return new Set([...range.getClientRects()].map(({ y }) => y)).size > 1;
    }))
    .map(([word]) => word)`);

/** Visible pictures whose `sizes` differs by more than a tenth from their width on the page. */
export const wrongSizes = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.position = 'fixed';
    const widthOf = (sizes) => {
      for (const entry of sizes.replace('auto, ', '').split(/,\\s*(?![^()]*\\))/)) {
        const [, media, length] = /^((?:\\([^()]*\\)(?: and )?)*) ?(.*)$/.exec(entry);
        if (media && !matchMedia(media).matches) continue;
        probe.style.width = length;
        return probe.getBoundingClientRect().width;
      }
    };
    const wrong = [...document.querySelectorAll('img[sizes]')].flatMap((image) => {
      const { width, height } = image.getBoundingClientRect();
      const ratio = image.getAttribute('width') / image.getAttribute('height');
      if (!image.checkVisibility() || !width) return [];
      const fit = getComputedStyle(image).objectFit === 'contain' ? Math.min : Math.max;
      const share = widthOf(image.sizes) / fit(width, height * ratio);
      return Math.abs(share - 1) > 0.1 ? [image.closest('[class]:not(img)').className + ' ' + share.toFixed(2)] : [];
    });
    probe.remove();
    return [...new Set(wrong)];
  })()`);

/** Controls whose outline with the focus is cut off by an element around them. */
export const cutOutlines = (page: Page) =>
  page.evaluate<
    string[]
  >(`[...document.querySelectorAll('a[href], button, input, select, summary, textarea')]
    .filter((node) => node.tabIndex >= 0 && node.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((node) => {
      document.activeElement.blur();
      node.focus({ focusVisible: true });
      const { outlineStyle, outlineOffset, outlineWidth } = getComputedStyle(node);
      if (outlineStyle === 'none') return true;
      const beyond = parseFloat(outlineOffset) + parseFloat(outlineWidth) - 1;
      const box = node.getBoundingClientRect();
      for (let around = node.parentElement; around !== document.body; around = around.parentElement) {
        const { x, y } = around.getBoundingClientRect();
        const { clientLeft, clientTop, clientWidth, clientHeight, scrollWidth, scrollHeight } = around;
        const [left, top] = [x + clientLeft, y + clientTop];
        const { overflowX, overflowY } = getComputedStyle(around);
        if (overflowX !== 'visible' && scrollWidth <= clientWidth &&
          (box.left - beyond < left || box.right + beyond > left + clientWidth)) return true;
        if (overflowY !== 'visible' && scrollHeight <= clientHeight &&
          (box.top - beyond < top || box.bottom + beyond > top + clientHeight)) return true;
      }
      return false;
    })
    .map((node) => node.outerHTML.slice(0, 80))`);
