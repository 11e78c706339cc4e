import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import sharp, { type Sharp } from 'sharp';
import type { Run } from '../../src/lib/command-line/definition.ts';
import { createConsole } from '../../src/lib/terminal/progress.ts';
import { findBrowser, startBrowser } from '../../test/support/browser-home.ts';
import { type DemoSite, serveDemoSite } from '../screenshots/demo-site.ts';
import { type Sight, sights } from '../screenshots/pages.ts';
import { flagsOf, VIEWS, type View } from '../screenshots/views.ts';
import type { SCREENSHOTS_OPTIONS } from './options.ts';

/** Time of the screenshots: dealers are open, and some of the demo's vehicles are new. */
const MOMENT = '2026-03-05T10:30:00Z';
/** Width of the widest screenshot of a page, and height of the tallest. Pixels. */
const LIMITS = { width: 960, height: 2400 };
const QUALITY = 75;
/** The picture in the README, in the height of the screen. */
const README = {
  file: 'docs/images/vehicle-desktop-light.webp',
  page: 'vehicle',
  view: { name: 'readme', context: { viewport: { width: 1200, height: 780 } }, screen: true },
};

export const run: Run<typeof SCREENSHOTS_OPTIONS> = async ({ values }, { stdout }) => {
  const console = createConsole({ stream: stdout, quiet: values.quiet });
  const home = await findBrowser();
  const browsers = new Map<string, Browser>();
  const browserFor = async (view: View): Promise<Browser> => {
    const flags = flagsOf(view);
    const existing = browsers.get(flags.join());
    if (existing) return existing;
    const browser = await startBrowser(home, flags);
    browsers.set(flags.join(), browser);
    return browser;
  };
  const { output, page = output === undefined ? README.page : undefined } = values;
  const views = output === undefined ? [README.view] : VIEWS;
  const selectedViews = views.filter(({ name }) => (values.view ?? name) === name);
  try {
    for (const [locale, localeViews] of Map.groupBy(selectedViews, (view: View) => view.locale)) {
      await using site = await serveDemoSite(locale);
      const pages = sights(site.addresses).filter(({ name }) => (page ?? name) === name);
      for (const view of localeViews) {
        for (const sight of pages) {
          const shot = await take(await browserFor(view), { site, sight, view });
          const file = output && path.join(output, `${sight.name}-${view.name}.webp`);
          await write(file ?? README.file, await withinLimits(shot));
          console.line(file ?? README.file);
        }
      }
    }
    return 0;
  } finally {
    for (const browser of browsers.values()) await browser.close();
  }
};

async function write(file: string, picture: Sharp): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, await picture.webp({ quality: QUALITY, effort: 6 }).toBuffer());
}

/** Takes a screenshot: of the full page, or of the screen if the view requires it or the visitor acted first. */
async function take(
  browser: Browser,
  { site, sight, view }: { site: DemoSite; sight: Sight; view: View },
): Promise<Buffer> {
  const context = await browser.newContext(view.context);
  try {
    const page = await context.newPage();
    await page.clock.setFixedTime(MOMENT);
    await page.goto(new URL(sight.address, site.url).href, { waitUntil: 'networkidle' });
    await sight.act?.(page);
    await view.after?.(page);
    const fullPage = !(view.screen || sight.act);
    await goDown(page);
    // For a full page, the browser loads larger pictures than for the screen.
    if (fullPage) await page.screenshot({ fullPage });
    await picturesArePainted(page);
    return await page.screenshot({ fullPage });
  } finally {
    await context.close();
  }
}

/** Scrolls down the page and back, because pictures load only near the screen. */
async function goDown(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const lowest = document.documentElement.scrollHeight;
    for (let at = 0; at < lowest; at += innerHeight / 2) {
      scrollTo({ top: at, behavior: 'instant' });
      await new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)));
    }
  })()`);
  await page.evaluate('scrollTo({ top: 0, behavior: "instant" })');
}

async function picturesArePainted(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  // A picture next to the screen, such as the next in a row, is not loaded.
  await page.waitForFunction(`[...document.images].every((image) => {
    const { left, right } = image.getBoundingClientRect();
    return image.complete || !image.checkVisibility() || right <= 0 || left >= innerWidth;
  })`);
  // A loaded picture is painted once it is decoded.
  await page.evaluate(
    'Promise.allSettled([...document.images].filter((one) => one.complete).map((one) => one.decode()))',
  );
}

async function withinLimits(shot: Buffer): Promise<Sharp> {
  const { width, height } = await sharp(shot).metadata();
  const scale = Math.min(1, LIMITS.width / width);
  const cut = Math.min(height, Math.round(LIMITS.height / scale));
  return sharp(shot)
    .extract({ left: 0, top: 0, width, height: cut })
    .resize({ width: Math.round(width * scale) });
}
