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
