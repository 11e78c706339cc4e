/** `npm run bench -- dev`: time from a saved file to the updated page in the browser. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { resolveConfig } from '../src/config/load.ts';
import { serveSite } from '../src/dev/dev.ts';
import type { Run } from '../src/lib/command-line/definition.ts';
import { holdPort } from '../src/lib/static-server/server.ts';
import { createConsole } from '../src/lib/terminal/progress.ts';
import { startSampleService } from '../src/sample-service/server.ts';
import { findBrowser, startBrowser } from '../test/support/browser-home.ts';
import type { DEV_OPTIONS } from './commands.ts';
import { median } from './support/measure.ts';
import { type Row, reportRows } from './support/report.ts';

export const run: Run<typeof DEV_OPTIONS> = async ({ values }) => {
  const LIMIT = 1000;

  /** One kind of change: the edit, and the text that the page shows afterwards. */
  interface Change {
    id: string;
    what: string;
    file: string;
    content(run: number): string;
    shown(run: number): string;
  }

  const CHANGES: Change[] = [
    {
      id: 'partial',
      what: 'a partial of every page',
      file: 'partials/foot.njk',
      content: (run) => `<footer id="own">change ${run}</footer>`,
      shown: (run) => `document.querySelector('#own')?.textContent === 'change ${run}'`,
    },
    {
      id: 'styles',
      what: 'a style sheet',
      file: 'assets/theme.css',
      content: (run) => `h1{letter-spacing:${run + 1}px}`,
      shown: (run) =>
        `getComputedStyle(document.querySelector('h1')).letterSpacing === '${run + 1}px'`,
    },
    {
      id: 'words',
      what: 'a word of every page',
      file: 'words.json',
      content: (run) => JSON.stringify({ en: { backToDealer: `Back ${run} to {dealer}` } }),
      shown: (run) => `document.body.textContent.includes('Back ${run} to Bench Cars')`,
    },
  ];

  async function measureChange(page: Page, theme: string, change: Change, runs: number) {
    const file = path.join(theme, change.file);
    await mkdir(path.dirname(file), { recursive: true });
    const times: number[] = [];
    for (let run = 0; run < runs; run++) {
      const started = performance.now();
      await writeFile(file, change.content(run));
      await page
        .waitForFunction(change.shown(run), undefined, { polling: 10, timeout: 10 * LIMIT })
        .catch(async (cause) => {
          const text = await page.textContent('body');
          throw new Error(`${change.id}, change ${run} is not shown; the page says:\n${text}`, {
            cause,
          });
        });
      times.push(performance.now() - started);
      await page.waitForLoadState('load');
    }
    return times;
  }

  async function run(): Promise<void> {
    const [vehicles, pictures, runs] = [values.vehicles, values.images, values.runs].map(Number);
    const folder = await mkdtemp(path.join(tmpdir(), 'dev-bench-'));
    const service = await startSampleService({
      dealers: 1,
      vehicles: vehicles ?? 300,
      images: pictures ?? 6,
    });
    const [dealer] = service.data.dealers;
    const media = dealer?.vehicles.flatMap(({ mediaList }) => mediaList) ?? [];
    // Only the number of pictures matters, so they are small and drawn for the first vehicle only.
    for (const { id } of media) service.data.override(id, { width: 240, height: 180 });
    const drawn = dealer?.vehicles[0]?.mediaList.filter(({ type }) => type === 'Image') ?? [];
    const images = media.filter(({ type }) => type === 'Image');
    for (const [index, item] of images.entries()) {
      item.mediaUrl = drawn[index % drawn.length]?.mediaUrl ?? item.mediaUrl;
    }
    const heldPort = await holdPort(0);
    const origin = `http://127.0.0.1:${heldPort.port}`;
    const theme = path.join(folder, 'theme');
    await mkdir(theme);
    const stop = new AbortController();
    const home = await findBrowser();
    const browser = await startBrowser(home);
    try {
      const config = resolveConfig(
        {
          service: { baseUrl: service.baseUrl },
          site: { title: 'Bench Cars', url: origin, theme },
          dealers: [{ id: dealer?.id, name: 'Bench Cars', slug: 'bench' }],
          media: { widths: [160] },
        },
        {
          file: path.join(folder, 'x'),
          keysFor: 'dealers',
          env: { MEDIA_API_KEY: service.mediaKey },
        },
      );
      console.log(`Preparing ${media.length} pictures and videos …`);
      const started = performance.now();
      await using _server = await serveSite({
        load: async () => config,
        cacheDir: path.join(folder, 'cache'),
        heldPort,
        console: createConsole({ stream: process.stdout, quiet: true }),
        signal: stop.signal,
      });
      console.log(`Prepared in ${Math.round((performance.now() - started) / 1000)} s.`);
      // The pages forbid eval, which browsers need to wait for a custom condition.
      const page = await browser.newPage({ bypassCSP: true });
      // Before that, the page hears of no change.
      const connected = async () => {
        const socket = await page.waitForEvent('websocket');
        await socket.waitForEvent('framereceived');
      };
      await Promise.all([connected(), page.goto(`${origin}/bench/`)]);
      await Promise.all([connected(), page.click('.card a')]);
      await page.locator('.share:visible').first().waitFor();
      const rows: Row[] = [];
      for (const change of CHANGES) {
        const times = await measureChange(page, theme, change, runs ?? 10);
        const middle = median(times);
        const longest = Math.max(...times);
        rows.push({
          id: change.id,
          cells: {
            Changed: change.what,
            Median: `${Math.round(middle)} ms`,
            'At most': `${Math.round(longest)} ms`,
          },
          target: `${LIMIT} ms`,
          met: longest < LIMIT,
          details: { times: times.map(Math.round) },
        });
      }
      await reportRows('dev', rows, values);
    } finally {
      stop.abort();
      await browser.close();
      await service[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    }
  }

  await run();
  return 0;
};
