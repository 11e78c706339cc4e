/** `npm run bench -- search`: time from a key press to the found vehicles, on a desktop and on a slow phone. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { resolveConfig } from '../src/config/load.ts';
import type { MediaItem } from '../src/contract/media.ts';
import type { Run } from '../src/lib/command-line/definition.ts';
import { startStaticServer } from '../src/lib/static-server/server.ts';
import { createConsole } from '../src/lib/terminal/progress.ts';
import { runBuild } from '../src/publish/run.ts';
import { startSampleService } from '../src/sample-service/server.ts';
import { findBrowser, startBrowser } from '../test/support/browser-home.ts';
import type { SEARCH_OPTIONS } from './commands.ts';
import { median } from './support/measure.ts';
import { type Row, reportRows } from './support/report.ts';
import { plateOf, START } from './support/stock-server.ts';

/** Milliseconds from the first letter on a phone, with up to 5,000 vehicles. */
const LIMIT = 250;
const MAKES = 30;
const MODELS = 12;

interface Device {
  id: string;
  name: string;
  /** CPU slowdown compared with this machine. */
  slowed: number;
  context: BrowserContextOptions;
}

const DEVICES: readonly Device[] = [
  {
    id: 'desktop',
    name: 'desktop',
    slowed: 1,
    context: { viewport: { width: 1280, height: 900 } },
  },
  {
    id: 'phone',
    name: 'phone, processor slowed four times',
    slowed: 4,
    context: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  },
];

/** Text typed after the first letter: a name, a name with a typo, and a description. */
const LATER = ['ma', 'make17', 'make17 nodel', 'diesel automatic'];

/**
 * In the browser: focuses the search, types a text and returns the milliseconds until a frame with the
 * results is drawn.
 */
const TYPE = `(text) => new Promise((resolve) => {
  const field = document.querySelector('[name=q]');
  const list = document.querySelector('.cards');
  const watch = new MutationObserver(() => {
    watch.disconnect();
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => resolve(performance.now() - started);
      port2.postMessage(undefined);
    });
  });
  watch.observe(list, { childList: true });
  const started = performance.now();
  field.focus();
  field.value = text;
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
})`;

interface Site extends AsyncDisposable {
  url: string;
  /** Bytes of the index with gzip. */
  index: number;
}

/** A site with the given number of vehicles that share a few pictures. */
async function serveSite(folder: string, dealers: number, each: number): Promise<Site> {
  await mkdir(folder);
  const pictures: MediaItem[] = Array.from({ length: 12 }, (_, index) => ({
    id: 100 + index,
    type: 'Image',
    label: `Image ${index + 1}`,
    mediaUrl: `{base_url}/pictures/${100 + index}.jpg`,
  }));
  const numbers = (dealer: number) => Array.from({ length: each }, (_, at) => dealer * each + at);
  const ids = Array.from({ length: dealers }, (_, dealer) => dealer);
  const data = ids.map((dealer) => ({
    id: 7001 + dealer,
    name: `Bench Cars ${dealer + 1}`,
    vehicles: numbers(dealer).map((number) => ({
      vrm: plateOf(number),
      dateUpdated: `${new Date(START - number * 60_000).toISOString().slice(0, 19)}Z`,
      mediaList: [...pictures.slice(number % 12), ...pictures.slice(0, number % 12)],
    })),
  }));
  const service = await startSampleService({
    pictureScale: 0.25,
    data: { dealers: data, accounts: [] },
  });
  const output = path.join(folder, 'site');
  await mkdir(output);
  const server = await startStaticServer({ folder: output, port: 0 });
  const rows = ids.flatMap(numbers).map((number) => {
    const make = (number * 7) % MAKES;
    const fuel = ['Petrol', 'Diesel', 'Hybrid', 'Electric'][number % 4];
    const gearbox = ['Manual', 'Automatic'][(number * 13) % 2];
    const price = 3000 + ((number * 7919) % 40_000);
    return `${plateOf(number)},Make${make},Model ${number % MODELS},${2010 + (number % 16)},${price},${fuel},${gearbox}`;
  });
  const stock = path.join(folder, 'stock.csv');
  await writeFile(stock, ['Plate,Make,Model,Year,Price,Fuel,Transmission', ...rows].join('\n'));
  const config = resolveConfig(
    {
      service: { baseUrl: service.baseUrl },
      site: { title: 'Bench Cars', url: server.url.replace(/\/$/, '') },
      dealers: data.map(({ id, name }, index) => ({
        id,
        name,
        slug: `bench-${index + 1}`,
        stock: { file: stock, columns: { plate: 'Plate' } },
      })),
      media: { widths: [160] },
    },
    { file: path.join(folder, 'x'), keysFor: 'dealers', env: { MEDIA_API_KEY: service.mediaKey } },
  );
  const { error } = await runBuild({
    config,
    output,
    cacheDir: path.join(folder, 'cache'),
    console: createConsole({ stream: process.stdout, quiet: true }),
    signal: new AbortController().signal,
  });
  await service[Symbol.asyncDispose]();
  if (error) throw error;
  const answer = await fetch(`${server.url}${dealers === 1 ? 'bench-1/' : ''}index.json`);
  const index = gzipSync(Buffer.from(await answer.arrayBuffer())).length;
  return { url: server.url, index, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** Milliseconds for the first letter and for each later text. */
async function measure(browser: Browser, url: string, { context, slowed }: Device) {
  const opened = await browser.newContext(context);
  try {
    const page = await opened.newPage();
    const protocol = await opened.newCDPSession(page);
    await page.goto(url, { waitUntil: 'load' });
    await protocol.send('Emulation.setCPUThrottlingRate', { rate: slowed });
    const type = async (text: string): Promise<number> =>
      await page.evaluate(`(${TYPE})(${JSON.stringify(text)})`);
    const first = await type('m');
    const later: number[] = [];
    for (const text of LATER) later.push(await type(text));
    return { first, later };
  } finally {
    await opened.close();
  }
}

export const run: Run<typeof SEARCH_OPTIONS> = async ({ values }) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'search-bench-'));
  const home = await findBrowser();
  const browser = await startBrowser(home);
  try {
    const rows: Row[] = [];
    for (const list of values.lists.split(',')) {
      const [dealers = 1, each = 0] = list.split('x').map(Number);
      await using site = await serveSite(path.join(folder, list), dealers, each);
      for (const device of DEVICES) {
        const runs: Awaited<ReturnType<typeof measure>>[] = [];
        for (let at = 0; at < values.runs; at++) {
          runs.push(await measure(browser, site.url, device));
        }
        const first = median(runs.map((one) => one.first));
        const later = runs.flatMap((one) => one.later);
        const isLimited = device.slowed > 1 && each * dealers <= 5000;
        rows.push({
          id: `${list}-${device.id}`,
          cells: {
            Vehicles: String(dealers * each),
            Dealers: String(dealers),
            'Index, with gzip': `${Math.round(site.index / 1000)} kB`,
            Device: device.name,
            'First letter': `${Math.round(first)} ms`,
            'Further letters': `${Math.round(median(later))} ms`,
            'At most': `${Math.round(Math.max(...later))} ms`,
          },
          target: isLimited ? `${LIMIT} ms` : '',
          ...(isLimited && { met: first <= LIMIT }),
          details: { runs },
        });
      }
    }
    await reportRows('search', rows, values);
    return 0;
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
};
