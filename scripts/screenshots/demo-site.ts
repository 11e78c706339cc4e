import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { demoConfig, writeDemoStock } from '../../src/cli/demo.ts';
import { resolveConfig } from '../../src/config/load.ts';
import { startStaticServer } from '../../src/lib/static-server/server.ts';
import type { Console } from '../../src/lib/terminal/progress.ts';
import { runBuild } from '../../src/publish/run.ts';
import type { SampleService } from '../../src/sample-service/index.ts';
import { vehicleSlug } from '../../src/stock/address.ts';
import type { Addresses } from './pages.ts';

const IMPRINT = `# Legal notice

Sample Motor Group Ltd, 1 Harbour Way, Northgate ZZ1 1AA

Registered in England and Wales, number 00000000. VAT GB 000 0000 00.

## Who answers for these pages

A. N. Example, [office@group.example](mailto:office@group.example)
`;

/** Long German words of the motor trade. */
const GERMAN: Readonly<Record<string, string>> = {
  Petrol: 'Benzin',
  Electric: 'Elektrisch',
  Automatic: 'Automatikgetriebe',
  Manual: 'Schaltgetriebe',
  Hatchback: 'Schräghecklimousine',
  Saloon: 'Stufenhecklimousine',
  Estate: 'Kombinationskraftwagen',
  SUV: 'Geländewagen',
  Burgundy: 'Burgunderrot-Metallic',
};

/** Matches complete cells only: a variant may be "Electric Plus". */
const cellOf = (word: string) => new RegExp(`(?<=,)${word}(?=[,\\n])`, 'g');

/** A stock list of the demo, in German. */
const inGerman = (list: string): string =>
  Object.entries(GERMAN)
    .reduce((text, [word, german]) => text.replace(cellOf(word), german), list)
    .replace(/"£([\d,]+)"/g, (_, price: string) => `${price.replace(',', '.')} €`);

export interface DemoSite extends AsyncDisposable {
  url: string;
  addresses: Addresses;
}

interface DemoSiteOptions {
  service: SampleService;
  /** Folder for the site, its cache and the stock lists. */
  folder: string;
  /** Default: the demo's. */
  locale: string | undefined;
  console: Console;
  signal: AbortSignal;
}

/** Builds the demo's site from a service, and serves it. @throws the error of the build. */
export async function serveDemoSite(options: DemoSiteOptions): Promise<DemoSite> {
  const { service, folder, locale, console, signal } = options;
  const output = path.join(folder, 'site');
  await mkdir(output);
  const server = await startStaticServer({ folder: output, port: 0 });
  const dealers = await writeDemoStock(service.data.dealers, folder);
  if (locale === 'de-DE') {
    for (const { stock } of dealers) {
      if (stock === undefined) continue;
      const file = path.join(folder, stock);
      await writeFile(file, inGerman(await readFile(file, 'utf8')));
    }
  }
  await writeFile(path.join(folder, 'imprint.md'), IMPRINT);
  const demo = demoConfig({ baseUrl: service.baseUrl, siteUrl: server.url, dealers });
  const config = resolveConfig(
    {
      ...demo,
      site: {
        ...demo.site,
        ...(locale !== undefined && { locale }),
        sticker: true,
        legal: { imprint: 'imprint.md' },
        enquiry: { address: 'https://forms.example/enquiries' },
      },
    },
    {
      file: path.join(folder, 'site.config.json'),
      keysFor: 'dealers',
      env: { MEDIA_API_KEY: service.mediaKey },
    },
  );
  const cacheDir = path.join(folder, 'cache');
  const build = async () => {
    const { error } = await runBuild({ config, output, cacheDir, console, signal });
    if (!error) return;
    await server[Symbol.asyncDispose]();
    throw error;
  };
  await build();
  // A vehicle is withdrawn before the second build. Then the service lists it again for other callers.
  const sold = service.data.dealers[0]?.vehicles.splice(7, 1) ?? [];
  await build();
  service.data.dealers[0]?.vehicles.splice(7, 0, ...sold);
  const [{ vehicles = [] } = {}] = service.data.dealers;
  const byMedia = vehicles.toSorted((a, b) => b.mediaList.length - a.mediaList.length);
  // The stock lists of the demo have only vehicles with an ordinary plate.
  const plain = byMedia.find(({ vrm }) => !/^[A-Z]{2}\d{2}[A-Z]{3}$/.test(vrm));
  const pageOf = (vrm = '') => `northgate-cars/${vehicleSlug(vrm)}/`;
  return {
    url: server.url,
    addresses: {
      dealer: 'northgate-cars/',
      fullest: pageOf(byMedia[0]?.vrm),
      plain: pageOf(plain?.vrm),
      withdrawn: pageOf(sold[0]?.vrm),
      make: await firstMake(path.join(output, 'northgate-cars/make')),
      makeOfAll: await firstMake(path.join(output, 'make')),
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** The first folder, by name, of pages of makes. @throws an Error if there is none. */
async function firstMake(folder: string): Promise<string> {
  const [first] = (await readdir(folder)).sort();
  if (first === undefined) throw new Error(`${folder} is empty.`);
  return first;
}
