import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type BrowserContextOptions, chromium } from 'playwright-core';
import sharp from 'sharp';
import { resolveConfig } from '../../src/config/load.ts';
import type { Run } from '../../src/lib/command-line/definition.ts';
import { createConsole } from '../../src/lib/terminal/progress.ts';
import { runBuild } from '../../src/publish/run.ts';
import { startSampleService } from '../../src/sample-service/index.ts';
import { findBrowser } from '../../test/support/browser-home.ts';
import { temporaryFolder } from '../../test/support/build.ts';
import { demoConfig } from '../demo/config.ts';
import { writeDemoStock } from '../demo/stock.ts';
import { startStaticServer } from '../static-server/server.ts';
import type { SCREENSHOTS_OPTIONS } from './definitions/development.ts';

const TARGET = 'docs/images';
const WIDTH = { phone: 390, desktop: 1200 };
const DEVICES: Record<keyof typeof WIDTH, BrowserContextOptions> = {
  phone: {
    viewport: { width: 390, height: 780 },
    deviceScaleFactor: 2,
    hasTouch: true,
    isMobile: true,
  },
  desktop: { viewport: { width: 1200, height: 780 } },
};

export const run: Run<typeof SCREENSHOTS_OPTIONS> = async ({ values }, { stdout, signal }) => {
  const console_ = createConsole({ stream: stdout, quiet: values.quiet });
  await using folder = await temporaryFolder();
  const service = await startSampleService({ dealers: 1, vehicles: 8, images: 8 });
  const server = await startStaticServer({ folder: path.join(folder.path, 'site'), port: 0 });
  const home = await findBrowser(folder.path);
  const browser = await chromium.launch({
    executablePath: home.executablePath,
    args: ['--no-sandbox'],
    env: { ...process.env, ...home.env } as Record<string, string>,
  });
  try {
    const dealers = await writeDemoStock(service.data.dealers, folder.path);
    const config = resolveConfig(
      demoConfig({ baseUrl: service.baseUrl, siteUrl: server.url, dealers }),
      {
        file: path.join(folder.path, 'site.config.json'),
        keysFor: 'dealers',
        env: { MEDIA_API_KEY: service.mediaKey },
      },
    );
    const { error } = await runBuild({
      config,
      output: path.join(folder.path, 'site'),
      cacheDir: path.join(folder.path, 'cache'),
      console: console_,
      signal,
    });
    if (error) throw error;
    const vehicles = service.data.dealers[0]?.vehicles ?? [];
    const [fullest] = vehicles.toSorted((a, b) => b.mediaList.length - a.mediaList.length);
    const pages = {
      dealer: 'northgate-cars/',
      vehicle: `northgate-cars/${fullest?.vrm.toLowerCase()}/`,
    };
    await mkdir(TARGET, { recursive: true });
    for (const device of ['phone', 'desktop'] as const) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await browser.newContext({ ...DEVICES[device], colorScheme });
        const page = await context.newPage();
        for (const [name, address] of Object.entries(pages)) {
          await page.goto(`${server.url}${address}`, { waitUntil: 'networkidle' });
          const file = path.join(TARGET, `${name}-${device}-${colorScheme}.webp`);
          const shot = sharp(await page.screenshot()).resize({ width: WIDTH[device] });
          await writeFile(file, await shot.webp({ quality: 80, effort: 6 }).toBuffer());
          console_.line(file);
        }
        await context.close();
      }
    }
    return 0;
  } finally {
    await browser.close();
    await server.close();
    await service.close();
  }
};
