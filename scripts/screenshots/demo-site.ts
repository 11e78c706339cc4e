import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { vehicleSlug } from '../../src/stock/address.ts';
import { openDemo } from '../../test/support/demo.ts';
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

/** Builds the demo, with every kind of page, and serves it. @param locale Default: the demo's. */
export async function serveDemoSite(locale: string | undefined): Promise<DemoSite> {
  const shape = { dealers: 4, vehicles: 16, images: 8, pictureScale: 1 };
  const demo = await openDemo(shape, {
    site: {
      ...(locale !== undefined && { locale }),
      sticker: true,
      legal: { imprint: 'imprint.md' },
      enquiry: { address: 'https://forms.example/enquiries' },
    },
    prepare: async (folder) => {
      await writeFile(path.join(folder, 'imprint.md'), IMPRINT);
      for (const name of locale === 'de-DE' ? await readdir(folder) : []) {
        if (!name.endsWith('.csv')) continue;
        const file = path.join(folder, name);
        await writeFile(file, inGerman(await readFile(file, 'utf8')));
      }
    },
  });
  const [{ vehicles = [] } = {}] = demo.service.data.dealers;
  const [sold] = vehicles.splice(7, 1);
  await demo.buildAgain();
  // The stock lists of the demo have only vehicles with an ordinary plate.
  const plain = vehicles
    .toSorted((a, b) => b.mediaList.length - a.mediaList.length)
    .find(({ vrm }) => !/^[A-Z]{2}\d{2}[A-Z]{3}$/.test(vrm));
  const pageOf = (vrm = '') => `northgate-cars/${vehicleSlug(vrm)}/`;
  return {
    url: demo.server.url,
    addresses: {
      dealer: 'northgate-cars/',
      fullest: demo.fullest,
      plain: pageOf(plain?.vrm),
      withdrawn: pageOf(sold?.vrm),
      make: await firstMake(path.join(demo.folder, 'northgate-cars/make')),
      makeOfAll: await firstMake(path.join(demo.folder, 'make')),
    },
    [Symbol.asyncDispose]: () => demo[Symbol.asyncDispose](),
  };
}

/** The first folder, by name, of pages of makes. @throws an Error if there is none. */
async function firstMake(folder: string): Promise<string> {
  const [first] = (await readdir(folder)).sort();
  if (first === undefined) throw new Error(`${folder} is empty.`);
  return first;
}
