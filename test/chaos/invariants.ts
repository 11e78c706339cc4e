import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { LoadedConfig } from '../../src/config/load.ts';
import { SecretSearch } from '../../src/config/secret-search.ts';
import { OutputNames } from '../../src/media/store/output-names.ts';
import { verifySite } from '../../src/publish/verify/verify.ts';
import { vehicleSlug } from '../../src/stock/address.ts';
import { readTree } from '../support/build.ts';

/** The published folder at one moment. */
export interface Published {
  inode: number | undefined;
  files: Map<string, string>;
}

export async function published(folder: string): Promise<Published> {
  if (!existsSync(folder)) return { inode: undefined, files: new Map() };
  return { inode: statSync(folder).ino, files: await readTree(folder) };
}

const same = (one: Map<string, string>, other: Map<string, string>): boolean =>
  one.size === other.size && [...one].every(([file, bytes]) => other.get(file) === bytes);

/** Whether a thumbnail has its end: JPEG's EOI marker, or as many bytes as its RIFF header says. */
function isWholePicture(file: string, latin1: string): boolean {
  const bytes = Buffer.from(latin1, 'latin1');
  if (file.endsWith('.jpg')) return bytes.subarray(-2).equals(Buffer.from([0xff, 0xd9]));
  return bytes.length > 12 && bytes.readUInt32LE(4) + 8 === bytes.length;
}

const WITHDRAWN = 'no longer available';

export interface Check {
  folder: string;
  config: LoadedConfig;
  before: Published;
  /** Whether the build said that it published; undefined where it was killed. */
  saysPublished: boolean | undefined;
  /** Vehicles that the service, when it was honest, did not list in this or an earlier night. */
  everAbsent: ReadonlySet<string>;
  /** Everything that was printed. */
  printed: string;
  key: string;
}

/** What must be true after every build and every kill. Returns what is not, in words. */
export async function violations(check: Check): Promise<string[]> {
  const { folder, config, before, saysPublished, everAbsent, printed } = check;
  const found: string[] = [];
  const site = path.join(folder, 'site');
  const after = await published(site);

  if (after.inode === undefined) found.push('the published folder is gone');
  const replaced = after.inode !== before.inode;
  if (!replaced && !same(after.files, before.files)) {
    found.push('the published folder was changed in place');
  }
  if (saysPublished === false && replaced) found.push('it says not published, but it is');
  if (saysPublished === true && !replaced) found.push('it says published, but it is not');
  if (replaced) {
    const findings = await verifySite({
      folder: site,
      siteUrl: config.site.url,
      search: SecretSearch.of(config.dealers.map(({ apiKey }) => apiKey)),
      outputs: new OutputNames(),
      expected: ['index.html', '404.html', 'sitemap.xml', 'robots.txt'],
    });
    for (const { code, file, detail } of findings) found.push(`${code} ${file} ${detail}`);
  }

  for (const [file, bytes] of after.files) {
    if (file.startsWith('media/') && !isWholePicture(file, bytes)) found.push(`${file} is torn`);
  }
  for (const [file, html] of before.files) {
    if (!/^[^/]+\/[^/]+\/index\.html$/.test(file) || file.startsWith('media/')) continue;
    const now = after.files.get(file);
    const wasWithdrawn = html.includes(WITHDRAWN);
    const absent = [...everAbsent].some((name) => {
      const [slug, vrm = ''] = name.split('|');
      return file === `${slug}/${vehicleSlug(vrm)}/index.html`;
    });
    if (now === undefined && !wasWithdrawn) found.push(`${file} is gone at once`);
    if (now?.includes(WITHDRAWN) && !wasWithdrawn && !absent) {
      found.push(`${file} is withdrawn although every honest answer lists it`);
    }
  }

  const everything = [...(await readTree(folder))].flat().join('\n') + printed;
  for (const { apiKey } of config.dealers) {
    if (apiKey.occursIn(everything)) found.push('a key is in a file, a name or the output');
  }
  return found;
}

/** Reads a report where there is one; a killed build has none. */
export async function readReport(
  file: string,
): Promise<
  { exitCode: number; outcome: string; notes: string[]; dealers: { notes: string[] }[] } | undefined
> {
  return existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : undefined;
}
