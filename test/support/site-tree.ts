import fs, { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { expect, vi } from 'vitest';
import { MEDIA } from '../../src/change-set/listing.ts';
import { Secret } from '../../src/config/secret.ts';
import { SecretSearch } from '../../src/config/secret-search.ts';
import { fingerprintOf, hashIn, suffixIn, timeOf } from '../../src/images/fingerprint.ts';
import { OutputNames } from '../../src/images/output-names.ts';
import { intactOutputs } from '../../src/images/stores/intact-outputs.ts';
import { openFolder } from '../../src/lib/files/hard-link.ts';
import type { MadePages } from '../../src/publish/chunk/built-chunk.ts';
import { finish } from '../../src/publish/finish/finish.ts';
import { isPublished, siteForm } from '../../src/publish/finish/site-form.ts';
import { stagingFolder } from '../../src/publish/output/swap.ts';
import { FilesInFolder } from '../../src/publish/site-diff/published-files.ts';
import { SiteDiff } from '../../src/publish/site-diff/site-diff.ts';
import { fileHash, filesName, filesText } from '../../src/record/files.ts';
import { KnownPictures } from '../../src/record/known-pictures.ts';
import { PUBLISHED_TIMES, RECORDS } from '../../src/record/published-records.ts';
import { writeTimes } from '../../src/record/times.ts';
import { tempFolder } from './temp-folder.ts';

export const PICTURES = ['ab', 'cd', 'ef', '01'].map(
  (shard) => `${shard}/0123456789abcdef01-96-0a1b2c.webp`,
);

export const [PICTURE = ''] = PICTURES;

/** The bytes of a thumbnail are its name. */
const fingerprintIn = (name: string): string => fingerprintOf(Buffer.from(name));

/** Writes a thumbnail like the store. */
export function makeThumbnail(store: string, name: string): void {
  openFolder(store)(name, name);
  const time = timeOf(fingerprintIn(name));
  utimesSync(path.join(store, name), time, time);
}

export const KEY = new Secret('key-of-a-dealer-0123456789');

export interface Site {
  output: string;
  store: string;
  secrets: Secret[];
  /** Whether published files were searched for these keys. See `SiteDiff`. */
  searched?: boolean;
}

function openDiff({ output, secrets, searched = true }: Site): SiteDiff {
  const search = SecretSearch.of(secrets);
  return new SiteDiff(new FilesInFolder(output, { search, searched }), ['site']);
}

/** Thumbnails that a build finds in the store and in the published folder. */
async function thumbnails({ store, output }: Site, pictures: readonly string[]) {
  const known = new KnownPictures();
  known.adopt('1', {
    sources: [],
    contents: pictures.map((name) => [
      hashIn(name),
      96,
      72,
      '000000',
      { [suffixIn(name)]: fingerprintIn(name) },
    ]),
  });
  const options = { folder: store, published: path.join(output, MEDIA), known };
  const { outputs, published } = await intactOutputs(options);
  return { outputs, unpublished: new OutputNames(outputs.without(published)), folder: store };
}

const NOTHING: MadePages = {
  summaries: new Map(),
  unmatched: new Map(),
  feeds: [],
  pages: 0,
  rendered: 0,
  records: [],
  unchanged: [],
  isChanged: false,
  changed: [],
  links: new Map(),
  findings: [],
  missingLists: [],
  incompleteCards: 0,
};

/**
 * Publishes files like a build. The content of each is its key. Returns the written files.
 *
 * @param before called when all files are staged.
 */
export async function publish(
  site: Site,
  files: Record<string, string>,
  pictures = PICTURES,
  before: (staged: string[]) => void = () => {},
) {
  const diff = openDiff(site);
  const staging = stagingFolder(site.output);
  const write = openFolder(staging);
  const made: string[] = [];
  for (const [file, key] of Object.entries(files)) {
    if (!diff.mustMake({ file: `/${file}`, key })) continue;
    write(file, key);
    made.push(file);
  }
  const rows = new Map(diff.unchangedRows);
  for (const file of made) {
    const key = files[file] as string;
    rows.set(file, { key, hash: fileHash(key), size: key.length, uses: [] });
  }
  write(RECORDS + filesName('site'), filesText({ rows }));
  const next = {
    output: site.output,
    times: writeTimes(new Map()),
    pages: [{ ...NOTHING, unchanged: [...diff.unchangedRows.keys()], isChanged: true }],
    media: await thumbnails(site, pictures),
  };
  await finish(next, siteForm(next, new FilesInFolder(site.output)), async () => {
    await nextTick(staging);
    writeFileSync(path.join(staging, PUBLISHED_TIMES), next.times);
    before(pictures.filter((name) => existsSync(path.join(staging, MEDIA, name))));
  });
  return made;
}

/** Waits until a file written beside a folder is newer than the folder's content. */
async function nextTick(folder: string): Promise<void> {
  const probe = `${folder}.probe`;
  const entries = [folder, ...readdirSync(folder, { recursive: true, encoding: 'utf8' })];
  const times = entries.map((name) => statSync(path.resolve(folder, name)).mtimeMs);
  const time = (): number => {
    writeFileSync(probe, '');
    return statSync(probe).mtimeMs;
  };
  await expect.poll(time, { interval: 1, timeout: 15_000 }).toBeGreaterThan(Math.max(...times));
  rmSync(probe);
}

/** Result of a build without changes, and the published files that it reads. */
export async function inspect(site: Site, files: Record<string, string>, pictures = PICTURES) {
  const media = await thumbnails(site, pictures);
  const read: string[] = [];
  const { readFileSync: real } = fs;
  const spy = vi.spyOn(fs, 'readFileSync').mockImplementation(((file: string, how: never) => {
    if (file.startsWith(site.output)) read.push(path.relative(site.output, file));
    return real(file, how);
  }) as never);
  syncBuiltinESMExports();
  try {
    const diff = openDiff(site);
    const needed = Object.entries(files).filter(([file, key]) =>
      diff.mustMake({ file: `/${file}`, key }),
    );
    return {
      needed: needed.map(([file]) => file),
      isPublished: isPublished(
        { output: site.output, media, pages: [{ isChanged: diff.isChanged, records: [] }] },
        new FilesInFolder(site.output),
      ),
      read: read.filter((file) => !file.startsWith(RECORDS)),
    };
  } finally {
    spy.mockRestore();
    syncBuiltinESMExports();
  }
}

export const FILES = {
  'index.html': 'front one',
  'a/index.html': 'page one',
  'a/media.json': 'json one',
};

/** A published site. */
export async function openTree(files: Record<string, string> = FILES): Promise<Site> {
  const folder = tempFolder();
  const site = {
    output: path.join(folder, 'site'),
    store: path.join(folder, 'store'),
    secrets: [KEY],
  };
  for (const name of PICTURES) makeThumbnail(site.store, name);
  await publish(site, files);
  return site;
}
