import { hash } from 'node:crypto';
import path from 'node:path';
import { CHANGED_FILES, CHANGES, changesLines } from '../../../src/change-set/change-set.ts';
import { outputName } from '../../../src/images/fingerprint.ts';
import {
  bytesHash,
  type FileRows,
  fileHash,
  filesName,
  filesText,
  readFiles,
} from '../../../src/record/files.ts';
import { readTimes, type Times, writeTimes } from '../../../src/record/times.ts';
import { rowsOf, type Site, writeSite } from './change-set.ts';

/**
 * Sites of a few literal files with real records, and the change sets of a thin build from them. It trusts
 * the live site's records and reads no page.
 */

interface Car {
  id: number;
  price: number;
  /** Number of its pictures. The last one is also a picture of the next car. */
  pictures: number;
}

/** Cars by dealer. */
export type Stock = ReadonlyMap<number, readonly Car[]>;

const RECORDS = 'api/records/';
const TIMES = `${RECORDS}times.json`;
const SITE_LIST = RECORDS + filesName('site');
const END = '-320-abcdef.webp';

const contentOf = (picture: number): string => hash('sha1', `picture ${picture}`).slice(0, 20);
const pictureOf = (picture: number) => {
  const text = `picture ${picture} ${'.'.repeat((picture * 7) % 50)}`;
  return { name: `media/${outputName(contentOf(picture), END)}`, text };
};
const picturesOf = (car: Car) =>
  Array.from({ length: car.pictures }, (_, index) => pictureOf(car.id + index));
const images = (pictures: readonly { name: string }[]): string =>
  pictures.map(({ name }) => `<img src="${name}">`).join('');

const recordRows = (files: Site): FileRows =>
  new Map(
    Object.entries(files).map(([name, text]) => {
      const row = { key: fileHash(text), hash: fileHash(text), uses: [] };
      return [name, { ...row, size: Buffer.byteLength(text) }];
    }),
  );

/** A dealer's record, and the list of its files. */
const recordsOf = (dealer: number) =>
  [`${RECORDS}${dealer}.json`, RECORDS + filesName(dealer)] as const;

/** A dealer's pages and its records in the site. */
function dealerFiles(dealer: number, cars: readonly Car[]) {
  const below = `dealer-${dealer}`;
  const pages: Record<string, string> = {
    [`${below}/index.html`]: `<p>${cars.length} cars${images(cars.map(({ id }) => pictureOf(id)))}`,
    [`${below}/media.json`]: JSON.stringify(cars),
  };
  for (const car of cars) {
    pages[`${below}/${car.id}/index.html`] =
      `<p>car ${car.id} for ${car.price}${images(picturesOf(car))}`;
  }
  const pictures = cars.flatMap(picturesOf).map(({ name, text }) => [name, text]);
  const shown = { ...pages, ...Object.fromEntries(pictures) };
  const record = JSON.stringify({ dealer, cars });
  const list = filesText({ rows: recordRows(shown) });
  const [recordFile, listFile] = recordsOf(dealer);
  return {
    files: { ...shown, [recordFile]: record, [listFile]: list },
    entry: { record: bytesHash(record), files: bytesHash(list) },
  };
}

/** Files about all dealers, written every night. */
const isOfSite = (name: string): boolean =>
  !name.startsWith('dealer-') &&
  !name.startsWith('media/') &&
  (!name.startsWith(RECORDS) || name === TIMES || name === SITE_LIST);

/** @param built UTC. */
function siteOf(stock: Stock, built: string): Site {
  const dealers = [...stock].map(([id, cars]) => ({ id, ...dealerFiles(id, cars) }));
  const siteFiles: Record<string, string> = {
    'index.html': `<p>${dealers.map(({ id }) => `<a href="dealer-${id}/">`).join('')}`,
    '404.html': '<p>not there',
    'robots.txt': 'User-agent: *\n',
    _headers: '/media/*\n  Cache-Control: public, max-age=31536000\n',
  };
  const times: Times = new Map(
    dealers.map(({ id, entry }) => [id, { confirmed: built, ...entry }]),
  );
  return {
    ...siteFiles,
    ...Object.assign({}, ...dealers.map(({ files }) => files)),
    [SITE_LIST]: filesText({ rows: recordRows(siteFiles) }),
    [TIMES]: writeTimes(times),
  };
}

/** State of the live site according to its records: files of dealers with their hashes, see `FilesOnline`. */
function believedOf(live: ReadonlyMap<string, Buffer>, stock: Stock) {
  const files = new Map<string, string>();
  const bytes = live.get(TIMES);
  const times = bytes && readTimes(bytes)?.times;
  for (const [dealer, entry] of times ?? []) {
    const names = recordsOf(dealer);
    const [record, list] = names.map((name) => live.get(name));
    const isIntact =
      record && bytesHash(record) === entry.record && list && bytesHash(list) === entry.files;
    const rows = isIntact && stock.has(dealer) ? readFiles(list)?.rows : undefined;
    if (rows) for (const name of names) files.set(name, fileHash(live.get(name) ?? ''));
    for (const [name, row] of rows ?? []) files.set(name, row.hash);
  }
  return files;
}

export interface BuildOptions {
  url: string;
  built: string;
  /** The served site. */
  live: ReadonlyMap<string, Buffer>;
  /** Files that the user added after the build. */
  added: Site;
  /** The full site instead of the changes. */
  isFull?: boolean;
}

/**
 * Writes the output of a build.
 *
 * @returns the expected served site.
 */
export async function buildLiteral(
  folder: string,
  stock: Stock,
  { url, built, live, added, isFull = false }: BuildOptions,
): Promise<Site> {
  const site = siteOf(stock, built);
  if (isFull) {
    await writeSite(folder, { ...site, ...added });
    return { ...site, ...added };
  }
  const believed = believedOf(live, stock);
  const files = rowsOf(site);
  const fresh = files.filter(
    ({ path: name, hash: sum }) => isOfSite(name) || believed.get(name) !== sum,
  );
  const here = Object.fromEntries(fresh.map(({ path: name }) => [name, site[name] ?? '']));
  const changed = fresh.map((file) => file.path).filter((name) => name.endsWith('.html'));
  const list = [...changesLines({ site: url, built, changed }, files)].join('');
  await writeSite(folder, {
    [CHANGES]: list,
    ...Object.fromEntries(
      Object.entries({ ...here, ...added }).map(([name, text]) => [
        path.posix.join(CHANGED_FILES, name),
        text,
      ]),
    ),
  });
  return { ...site, ...added };
}
