import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pMap from 'p-map';
import { CHANGED_FILES, CHANGES, readChanges, type SiteFile } from '../change-set/change-set.ts';
import { listFiles } from '../change-set/listing.ts';
import { ConfigError, GateError } from '../errors.ts';
import { someFiles } from '../lib/files/claim.ts';
import { makeFolder, writeFileAtomic } from '../lib/files/write.ts';
import type { Http } from '../lib/http/http.ts';
import { fileHash } from '../record/files.ts';
import { changesDamaged, contentLost } from './host-api/errors.ts';
import { builtIn } from './host-api/live-release.ts';
import type { DeploySource, HostRun } from './host-api/types.ts';
import { type LiveSite, readLive } from './live-site.ts';

/** Files that are read or fetched at the same time. */
const AT_ONCE = 8;

/** Characters that no host accepts in a path. */
const UNFIT = /[#?\\\p{Cc}]/u;

/** The bytes of a file. @throws {GateError} it disappeared, or its bytes have another hash than at the start. */
async function readBuilt(folder: string, name: string, hash?: string): Promise<Buffer> {
  const bytes = await readFile(path.join(folder, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (bytes && (hash === undefined || fileHash(bytes) === hash)) return bytes;
  throw new GateError({
    code: 'deploy-file-changed',
    what: `${name} was changed or removed while it was being deployed.`,
    why: 'Another program writes to the folder, such as a build.',
    fix: 'Deploy again when nothing writes there. Finished uploads are not repeated.',
  });
}

/** Every file below a folder, with its hash. @throws {ConfigError} a file cannot be deployed. */
async function filesIn(
  folder: string,
  console: HostRun['console'],
): Promise<Map<string, SiteFile>> {
  const { files: names, odd } = listFiles(folder);
  const unfit = [...odd, ...names.filter((name) => UNFIT.test(name))];
  if (unfit.length > 0) {
    throw new ConfigError({
      code: 'deploy-file',
      what: `Files cannot be deployed: ${someFiles(unfit)}.`,
      why: 'Each is neither a file nor a folder, or its name has characters that no host accepts (#, ?, \\).',
      fix: 'Copy the files themselves (cp -RL), with plain names. Nothing was deployed.',
    });
  }
  const files = new Map<string, SiteFile>();
  let done = 0;
  await pMap(
    names,
    async (name) => {
      const bytes = await readBuilt(folder, name);
      files.set(name, { path: name, size: bytes.length, hash: fileHash(bytes) });
      console.progress(`Files read: ${++done} of ${names.length}`, done / names.length);
    },
    { concurrency: AT_ONCE },
  );
  return files;
}

/** Reads files from this disk and compares their hashes. Downloads others from the live site. */
function bytesOf(
  folder: string,
  localFiles: ReadonlyMap<string, SiteFile>,
  live: LiveSite | undefined,
): Pick<DeploySource, 'has' | 'fetch' | 'bytes'> {
  /** Paths of downloaded files, which are now on this disk. */
  const fetched = new Set<string>();
  const placeOf = (file: SiteFile) => path.join(folder, file.path);
  const isHere = (file: SiteFile) => localFiles.has(file.path) || fetched.has(file.path);
  return {
    has: (file) => localFiles.has(file),
    async bytes(file) {
      if (!isHere(file)) throw contentLost([file]);
      return readBuilt(folder, file.path, file.hash);
    },
    async fetch(files) {
      const lost: SiteFile[] = [];
      let fault = '';
      const fetchOne = async (file: SiteFile) => {
        const result = live && fault === '' ? await readLive(live, file) : { why: '' };
        if ('unreachable' in result) fault = ` It could not be read. ${result.why}`;
        if (!('bytes' in result)) return lost.push(file);
        makeFolder(path.dirname(placeOf(file)));
        await writeFileAtomic(placeOf(file), result.bytes, { fsync: false });
        return fetched.add(file.path);
      };
      const missing = files.filter((file) => !isHere(file));
      await pMap(missing, fetchOne, { concurrency: AT_ONCE });
      if (lost.length > 0) throw contentLost(lost, fault);
    },
  };
}

/**
 * URL of a full site, from its index of sitemaps, which every build writes. A configuration is not read, because it can
 * be of another site in the same project.
 */
async function siteIn(folder: string): Promise<string | undefined> {
  const text = await readFile(path.join(folder, 'sitemap.xml'), 'utf8').catch(() => '');
  const [, url] = /<loc>(\S+)\/sitemap-front\.xml<\/loc>/.exec(text) ?? [];
  return url?.replaceAll('&amp;', '&');
}

/**
 * Opens the result of a build: a change set, or the whole site. Every file on this disk is read once.
 *
 * @param http for files of the live site that are not on this disk.
 * @throws {GateError} it is neither, or damaged. @throws {ConfigError} a file in it cannot be deployed.
 */
export async function openSource(
  folder: string,
  http: Http,
  console: HostRun['console'],
): Promise<DeploySource> {
  const list = path.join(folder, CHANGES);
  const changes = existsSync(list) ? await readChanges(list) : undefined;
  if (!changes && existsSync(list)) {
    throw changesDamaged(folder, `${CHANGES} is torn, altered, or of another version.`);
  }
  if (!changes && !existsSync(path.join(folder, 'index.html'))) {
    throw new GateError({
      code: 'deploy-no-site',
      what: `${folder} is not a finished site.`,
      why: 'There is neither a change set nor an index.html in it. Deploying it would empty the host.',
      fix: 'Build first (npm run build), and name the built folder with --folder.',
    });
  }
  const filesFolder = changes ? path.join(folder, CHANGED_FILES) : folder;
  const localFiles = await filesIn(filesFolder, console);
  for (const { path: name, hash } of changes ? localFiles.values() : []) {
    // The user added files that are not in the list.
    if ((changes?.files.get(name)?.hash ?? hash) === hash) continue;
    const why = `${name} is not the file that ${CHANGES} names. Give your files other names.`;
    throw changesDamaged(folder, why);
  }
  const files = [...(changes?.files.values() ?? []), ...localFiles.values()];
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const times = await builtIn(filesFolder);
  return {
    form: changes ? 'thin' : 'whole',
    site: changes ? changes.site : await siteIn(folder),
    built: changes?.built ?? times.built,
    first: times.first,
    changed: changes?.changed ?? [],
    indexNow: changes?.indexNow,
    files: new Map(files.map((file) => [file.path, file])),
    ...bytesOf(filesFolder, localFiles, changes && { url: changes.site, http }),
  };
}
