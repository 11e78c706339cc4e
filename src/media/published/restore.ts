import { existsSync } from 'node:fs';
import pMap from 'p-map';
import type { MediaConfig } from '../../config/schema.ts';
import { decideBounds, machine } from '../bounds.ts';
import type { Source } from '../plan.ts';
import { outputNames } from '../recipes.ts';
import { dealerOf } from '../store/dealer-file.ts';
import { fingerprintOf, withOutputs } from '../store/fingerprint.ts';
import { putOutput } from '../store/folder.ts';
import type { Manifest } from '../store/manifest.ts';
import type { OutputNames } from '../store/output-names.ts';
import { FolderFiles } from './folder-files.ts';
import { GROUPS, groupHash, groupName, groupNames, tagsOf } from './groups.ts';
import { fromValidator, listName, type PublishedList, readList } from './list-file.ts';
import { type Found, matches } from './match.ts';
import { isPictureOf } from './signature.ts';
import type { SiteSource } from './site-files.ts';

/** What of the published site may be used, and where it lies. */
export interface PublishedSite {
  /** `site.url`; undefined where it is not to be asked. */
  url?: string | undefined;
  /** The published folder, where it is on this disk: it is looked at first. */
  folder?: string | undefined;
  /** For dealers most of whose pictures are not known here, or for all. */
  use: 'when-empty' | 'always';
}

export interface RestoreProgress {
  /** Pictures that the published site has, and those of them that were asked for. */
  total: number;
  done: number;
  bytes: number;
}

export interface RestoreOptions {
  site: PublishedSite;
  sources: readonly Source[];
  media: MediaConfig;
  manifest: Manifest;
  /** Names of the outputs in `folder`; what is fetched is added. */
  local: OutputNames;
  folder: string;
  now: number;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: RestoreProgress) => void) | undefined;
}

export interface Restored {
  outputs: number;
  /** Bytes that came from the site, its lists among them. */
  bytes: number;
  /** What could not be used, to be told. */
  problems: string[];
  /** Hashes of the groups that were fetched, by `groupName`. */
  hashes: Map<string, string>;
}

/** Lists of dealers that are fetched at the same time. */
const LISTS_AT_ONCE = 4;
/** How often something could not be used, by the reason. */
type Reasons = Map<string, number>;
const count = (reasons: Reasons, why: string) => reasons.set(why, (reasons.get(why) ?? 0) + 1);
const told = (reasons: Reasons, what: string, of: string): string[] =>
  [...reasons].map(
    ([why, number]) => `${what} on the published site are not used (${of}: ${number}): ${why}.`,
  );

/**
 * Takes thumbnails from the published site, so that a build on an empty disk need not make them
 * again. They must hash to what the site's own list says, and be pictures; whatever is odd is as if
 * it were not there, and is made.
 */
export async function restorePublished(options: RestoreOptions): Promise<Restored> {
  const { site, signal, media } = options;
  const restored: Restored = { outputs: 0, bytes: 0, problems: [], hashes: new Map() };
  if (wantedSources(options).size === 0) return restored;
  if (site.folder !== undefined && existsSync(site.folder)) {
    await restoreFrom(new FolderFiles(site.folder), options, restored);
  }
  if (site.url !== undefined && wantedSources(options).size > 0) {
    // What speaks HTTP is loaded only where there is something to ask for.
    const { SiteFiles } = await import('./site-files.ts');
    const bounds = decideBounds(media, machine());
    await restoreFrom(new SiteFiles(site.url, { ...media, ...bounds }, signal), options, restored);
  }
  return restored;
}

async function restoreFrom(
  files: SiteSource,
  options: RestoreOptions,
  restored: Restored,
): Promise<void> {
  const { media } = options;
  const wanted = wantedSources(options);
  const lists: Reasons = new Map();
  const pictures: Reasons = new Map();
  try {
    const tags = tagsOf(options.sources);
    const found = await pMap(
      wanted,
      async ([dealer, sources]) => {
        const list = await fetchList(files, dealer);
        if (typeof list !== 'string')
          return [
            ...matches(list, tags, sources, {
              revalidateAfter: media.revalidateAfter,
              now: options.now,
            }),
          ];
        count(lists, list);
        return [];
      },
      { concurrency: LISTS_AT_ONCE },
    );
    const all = found.flat();
    let done = 0;
    await pMap(
      all,
      async (one) => {
        const why = await fetchPicture(one, files, restored, options);
        if (why !== undefined) count(pictures, why);
        done++;
        options.onProgress?.({ total: all.length, done, bytes: files.received });
      },
      { concurrency: decideBounds(media, machine()).downloads },
    );
  } finally {
    await files.close();
  }
  restored.bytes += files.received;
  // A folder that lacks something is made again; only a site that should have it is worth a word.
  if (files instanceof FolderFiles) return;
  restored.problems.push(
    ...told(lists, 'Lists of pictures', 'dealers'),
    ...told(pictures, 'Thumbnails', 'pictures'),
  );
}

/** Sources whose thumbnails are not all here, of the dealers that are looked for. */
function wantedSources({ sources, site, manifest, local }: RestoreOptions): Map<string, Source[]> {
  const isHere = ({ key, recipes }: Source): boolean => {
    const entry = manifest.sources.get(key);
    const content = entry && manifest.contents.get(entry.hash);
    if (!entry || !content) return false;
    return outputNames({ hash: entry.hash, ...content }, recipes).every((name) => local.has(name));
  };
  const wanted = new Map<string, Source[]>();
  for (const [dealer, its] of Map.groupBy(sources, ({ key }) => dealerOf(key))) {
    if (site.use === 'when-empty') {
      const known = its.filter(({ key }) => manifest.sources.has(key)).length;
      if (known * 2 >= its.length) continue;
    }
    const missing = its.filter((source) => !isHere(source));
    if (missing.length > 0) wanted.set(dealer, missing);
  }
  return wanted;
}

async function fetchList(files: SiteSource, dealer: string): Promise<PublishedList | string> {
  const file = await files.list(listName(dealer));
  if ('why' in file) return file.why;
  const list = readList(file.bytes.toString('utf8'));
  if (list === 'torn') return 'it is damaged, or something else';
  return list === 'other-version' ? 'it is of another version' : list;
}

/**
 * Fetches the thumbnails of one picture and notes it.
 *
 * @returns why not, where it could not be used.
 */
async function fetchPicture(
  { source, row, content, usable, key, vehicleDate, checkedAt }: Found,
  files: SiteSource,
  restored: Restored,
  { manifest, local, folder }: RestoreOptions,
): Promise<string | undefined> {
  const { hash, width, height } = content;
  const entry = manifest.sources.get(key);
  if (entry && entry.hash !== hash) return undefined;
  const fetched: { name: string; fingerprint: string }[] = [];
  for (const [place, group] of GROUPS.entries()) {
    const names = groupNames(content, source.recipes, group);
    if (names.every((name) => local.has(name))) continue;
    const expected = place === 0 ? row[6] : row[7];
    const why =
      expected === '' || !usable[place]
        ? 'they were made in another way'
        : await fetchGroup(names, expected, files, { local, folder, restored, fetched });
    if (why === undefined) restored.hashes.set(groupName(hash, group), expected);
    else if (place === 0) return why;
  }
  const [, , , , , colour, , , validator] = row;
  const known = manifest.contents.get(hash);
  const outputs = withOutputs(known?.outputs, fetched);
  manifest.record(
    key,
    entry ?? { ...fromValidator(validator), vehicleDate, checkedAt, hash },
    known ? { ...known, outputs } : { width, height, colour, outputs },
  );
  return undefined;
}

async function fetchGroup(
  names: readonly string[],
  expected: string,
  files: SiteSource,
  {
    local,
    folder,
    restored,
    fetched,
  }: Pick<RestoreOptions, 'local' | 'folder'> & {
    restored: Restored;
    fetched: { name: string; fingerprint: string }[];
  },
): Promise<string | undefined> {
  const answers = await Promise.all(
    names.map(async (name) => ({ name, ...(await files.picture(name)) })),
  );
  const outputs: { name: string; bytes: Buffer }[] = [];
  for (const answer of answers) {
    if ('why' in answer) return answer.why;
    if (!isPictureOf(answer.name, answer.bytes)) return 'they are no pictures';
    outputs.push(answer);
  }
  if (groupHash(outputs) !== expected) return 'they are not what its list says';
  for (const { name, bytes } of outputs) {
    await putOutput(folder, name, bytes);
    if (!local.has(name)) restored.outputs++;
    local.add(name);
    fetched.push({ name, fingerprint: fingerprintOf(bytes) });
  }
  return undefined;
}
