import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import {
  CHANGED_FILES,
  CHANGES,
  changesLines,
  type SiteFile,
} from '../../../src/change-set/change-set.ts';
import { fileHash } from '../../../src/record/files.ts';
import { writeFilesBelow } from '../files-below.ts';

/** A site: the text of each file, by path. */
export type Site = Readonly<Record<string, string>>;

const TIMES = 'api/records/times.json';
/** Files about all dealers are written every night, and the rules for hosts cannot be downloaded. */
const ALWAYS = [TIMES, '404.html', '_headers', '_redirects'];

/** A site as served by a host, see `HostServer.served`. */
export const servedOf = (site: Site): Map<string, string> =>
  new Map(
    Object.entries(site)
      .filter(([name]) => name !== '_headers' && name !== '_redirects')
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Files served by a host, as text. */
export const textsOf = (served: ReadonlyMap<string, Buffer>): Map<string, string> =>
  new Map(
    [...served]
      .map(([name, bytes]) => [name, String(bytes)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Every page has the pictures that it references. */
export function expectPictures(served: ReadonlyMap<string, string>, why = ''): void {
  for (const [name, text] of served) {
    for (const [, picture = ''] of text.matchAll(/src="(media\/[^"]+)"/g)) {
      expect(served.has(picture), `${why} ${name} names ${picture}`).toBe(true);
    }
  }
}

/** Writes the files of a site into an otherwise empty folder. */
export async function writeSite(folder: string, site: Site): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFilesBelow(folder, site);
}

export interface ChangesOptions {
  url: string;
  built: string;
  former?: Site;
  /** Key of IndexNow. */
  indexNow?: string;
}

/** The files of a site, as the list of a change set has them. */
export const rowsOf = (site: Site): SiteFile[] =>
  Object.entries(site).map(([name, text]) => ({
    path: name,
    size: Buffer.byteLength(text),
    hash: fileHash(text),
  }));

/** Writes the output of a thin build: the list of the site, and the bytes of new files. */
export async function writeChanges(
  folder: string,
  site: Site,
  { url, built, former = {}, indexNow }: ChangesOptions,
): Promise<void> {
  const here = Object.entries(site).filter(
    ([name, text]) => former[name] !== text || ALWAYS.includes(name),
  );
  await rm(folder, { recursive: true, force: true });
  await writeSite(path.join(folder, CHANGED_FILES), Object.fromEntries(here));
  const removed = Object.keys(former).filter((name) => !(name in site));
  const changed = [...removed, ...here.map(([name]) => name)].filter((name) =>
    name.endsWith('.html'),
  );
  const lines = changesLines({ site: url, built, changed, indexNow }, rowsOf(site));
  await writeFile(path.join(folder, CHANGES), [...lines].join(''));
}
