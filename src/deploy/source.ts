import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pMap from 'p-map';
import { makeFolder, writeFileAtomic } from '../lib/files/write.ts';
import type { Http } from '../lib/http/http.ts';
import {
  CHANGED_FILES,
  CHANGES,
  readChanges,
  type SiteFile,
} from '../publish/change-set/change-set.ts';
import { listFiles } from '../publish/site-diff/listing.ts';
import { fileHash } from '../record/files.ts';
import { changedMeanwhile, changesDamaged, noSite, oddFile } from './host-api/errors.ts';
import { builtIn } from './host-api/live-release.ts';
import { LostContent } from './host-api/lost-content.ts';
import type { DeploySource } from './host-api/types.ts';
import { LiveSite } from './live-site.ts';

export interface OpenSourceOptions {
  /** Address of the site, which a whole folder does not say. */
  site(): Promise<string | undefined>;
  /** For files of the live site that are not on this disk. */
  http: Http;
  onProgress?(done: number, total: number): void;
}

/** Files that are read at the same time. */
const READS = 8;
/** Files that are fetched at the same time. */
const FETCHES = 8;

/** What no host takes as a part of an address. */
const UNFIT = /[#?\\\p{Cc}]/u;

/** Every file below a folder, with its hash. @throws {GateError} there is what cannot be deployed. */
async function filesIn(
  folder: string,
  onProgress: OpenSourceOptions['onProgress'],
): Promise<Map<string, SiteFile>> {
  const { files: names, odd } = listFiles(folder);
  const unfit = odd[0] ?? names.find((name) => UNFIT.test(name));
  if (unfit !== undefined) throw oddFile(unfit);
  const files = new Map<string, SiteFile>();
  let done = 0;
  await pMap(
    names,
    async (name) => {
      const bytes = await readFile(path.join(folder, name));
      files.set(name, { path: name, size: bytes.length, hash: fileHash(bytes) });
      onProgress?.(++done, names.length);
    },
    { concurrency: READS },
  );
  return files;
}

const inOrder = (files: Iterable<SiteFile>): Map<string, SiteFile> =>
  new Map(
    [...files].sort((a, b) => (a.path < b.path ? -1 : 1)).map((file) => [file.path, file] as const),
  );

interface Opened extends Omit<DeploySource, 'has' | 'fetch' | 'bytes'> {
  /** Where the bytes are. */
  folder: string;
  here: ReadonlySet<string>;
  live: LiveSite | undefined;
}

function sourceOf({ folder, here, live, ...opened }: Opened): DeploySource {
  /** Fetched, and on this disk since. */
  const fetched = new Set<string>();
  const placeOf = (file: SiteFile) => path.join(folder, file.path);
  const isHere = (file: SiteFile) => here.has(file.path) || fetched.has(file.path);
  const fromLive = async (file: SiteFile): Promise<Buffer> => {
    const found = await live?.read(file);
    if (!found || !('bytes' in found)) throw new LostContent([file]);
    return found.bytes;
  };
  return {
    ...opened,
    has: (file) => here.has(file),
    async bytes(file) {
      if (!isHere(file)) return fromLive(file);
      const bytes = await readFile(placeOf(file));
      if (fileHash(bytes) !== file.hash) throw changedMeanwhile(file.path);
      return bytes;
    },
    async fetch(files) {
      const lost: SiteFile[] = [];
      const fetchOne = async (file: SiteFile) => {
        try {
          const bytes = await fromLive(file);
          makeFolder(path.dirname(placeOf(file)));
          await writeFileAtomic(placeOf(file), bytes, { fsync: false });
          fetched.add(file.path);
        } catch (error) {
          if (!(error instanceof LostContent)) throw error;
          lost.push(file);
        }
      };
      const wanted = files.filter((file) => !isHere(file));
      await pMap(wanted, fetchOne, { concurrency: FETCHES });
      if (lost.length > 0) throw new LostContent([...inOrder(lost).values()]);
    },
  };
}

async function openChanges(folder: string, options: OpenSourceOptions): Promise<DeploySource> {
  const changes = await readChanges(path.join(folder, CHANGES));
  if (!changes) throw changesDamaged(folder, `${CHANGES} is torn, altered, or of another version.`);
  const below = path.join(folder, CHANGED_FILES);
  const here = await filesIn(below, options.onProgress);
  const others: SiteFile[] = [];
  for (const file of here.values()) {
    const named = changes.files.get(file.path);
    // Somebody's own file, added to what was built.
    if (!named) others.push(file);
    else if (named.hash !== file.hash) {
      const why = `${file.path} is not the file that ${CHANGES} names; files of your own need other names.`;
      throw changesDamaged(folder, why);
    }
  }
  const files = inOrder([...changes.files.values(), ...others]);
  if (!files.has('index.html')) throw noSite(folder);
  const { site, built, changed, gone, indexNow } = changes;
  return sourceOf({
    form: 'thin',
    site,
    built,
    first: (await builtIn(below)).first,
    changed,
    gone: gone.filter((file) => !files.has(file)),
    indexNow,
    files,
    folder: below,
    here: new Set(here.keys()),
    live: new LiveSite(site, options.http),
  });
}

async function openWhole(folder: string, options: OpenSourceOptions): Promise<DeploySource> {
  const files = inOrder((await filesIn(folder, options.onProgress)).values());
  return sourceOf({
    form: 'whole',
    site: await options.site(),
    ...(await builtIn(folder)),
    changed: [],
    gone: [],
    indexNow: undefined,
    files,
    folder,
    here: new Set(files.keys()),
    live: undefined,
  });
}

/**
 * What a build left in a folder: a change set, or the whole site. Every file on this disk is read once.
 *
 * @throws {GateError} it is neither, or damaged. @throws {ConfigError} a file in it cannot be deployed.
 */
export async function openSource(
  folder: string,
  options: OpenSourceOptions,
): Promise<DeploySource> {
  if (existsSync(path.join(folder, CHANGES))) return openChanges(folder, options);
  if (existsSync(path.join(folder, 'index.html'))) return openWhole(folder, options);
  throw noSite(folder);
}
