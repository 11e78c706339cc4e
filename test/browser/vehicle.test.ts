import { describe, expect, it } from 'vitest';
import { DESKTOP, PHONE, visit } from '../support/page.ts';
import { sharedBrowser, sharedShowroom } from '../support/shared.ts';

const browser = await sharedBrowser();
const showroom = await sharedShowroom();

const address = () => `${showroom.server.url}northgate/ab12cde/`;
const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] };

describe('sharing', () => {
  it('copies the address where the browser shares nothing by itself, and says so', async () => {
    await using visited = await visit(browser, address(), { ...DESKTOP, ...clipboard });
    const { page, problems } = visited;
    const button = page.locator('.share');
    expect(await button.textContent()).toContain('Copy link');
    await button.click();
    await expect.poll(() => button.textContent()).toContain('Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(address());
    await expect.poll(() => button.textContent(), { timeout: 5000 }).toContain('Copy link');
    expect(problems).toEqual([]);
  });

  it("hands title and address to the device's own sharing where there is one", async () => {
    // No browser without a screen has it: here the platform's side is pretended, ours is real.
    await using visited = await visit(browser, `${showroom.server.url}northgate/`, PHONE);
    const { page } = visited;
    await page.addInitScript(`
      navigator.canShare = () => true;
      navigator.share = async (what) => { window.shared = what; };`);
    await page.goto(address());
    expect(await page.locator('.share').textContent()).toContain('Share');
    await page.locator('.share').tap();
    expect(await page.evaluate('window.shared')).toEqual({
      title: '2021 Albion Wren, AB12 CDE',
      url: address(),
    });
  });
});

describe('on paper', () => {
  it('are all pictures and facts, and nothing to press', async () => {
    await using visited = await visit(browser, address());
    const { page } = visited;
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 720, height: 1000 });
    for (const useless of ['.controls', '.strip', '.actions', '.snippet', '.back']) {
      expect(await page.locator(useless).first().isVisible(), useless).toBe(false);
    }
    expect(await page.locator('h1').isVisible()).toBe(true);
    expect(await page.locator('.facts').textContent()).toContain('AB12 CDE');
    const boxes = await page
      .locator('.slide')
      .evaluateAll((slides) =>
        slides
          .map((slide) => slide.getBoundingClientRect())
          .map(({ x, y, right }) => ({ x, y, right })),
      );
    expect(boxes).toHaveLength(7);
    for (const { x, right } of boxes) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(right).toBeLessThanOrEqual(720);
    }
    expect(new Set(boxes.map(({ x, y }) => `${x},${y}`)).size).toBe(7);
    const heading = (await page.locator('h1').boundingBox())?.y ?? Number.NaN;
    expect(heading).toBeLessThan(Math.min(...boxes.map(({ y }) => y)));
    const contacts = await page.locator('.contacts a:visible').allTextContents();
    expect(contacts).toEqual(['Call +44 1632 960001']);
    const paper = await page.evaluate(`getComputedStyle(document.body).backgroundColor`);
    expect(paper).toBe('rgb(255, 255, 255)');
  });

  it('is black on white where the screen is dark, too', async () => {
    await using visited = await visit(browser, address(), { ...DESKTOP, colorScheme: 'dark' });
    const { page } = visited;
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const light = await page.evaluate(`[...document.querySelectorAll('h1, dt, dd, .price, .quiet')]
      .filter((node) => node.checkVisibility())
      .map((node) => getComputedStyle(node).color.match(/\\d+/g).slice(0, 3).map(Number))
      .filter((rgb) => rgb.some((value) => value > 130)).length`);
    expect(light).toBe(0);
  });
});
