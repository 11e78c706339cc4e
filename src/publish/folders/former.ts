/** How folders are known that versions made which set no marks. */
import { lstatSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { entriesOf } from '../../media/store/entries-of.ts';
import { removeIfEmpty } from '../tree/media-folder.ts';

/** Files of a cache whose names and first bytes nothing else has. */
const CACHE_FILES: readonly [folder: string, name: RegExp, begin: RegExp][] = [
  ['snapshots', /^dealer-\d+\.snapshot$/, /^[0-9a-f]{64}\n\{/],
  ['media/manifests', /^\d+\.json$/, /^[0-9a-f]{8} \{"version":/],
  ['pages', /^\d+\.ndjson$/, /^[0-9a-f]{8} \{"version":/],
  ['service', /^media-by-dealer-\d+-[0-9a-f]{12}-[0-9a-f]{8}$/, /^\{"cachedAt":/],
];

/** Whether a folder is the cache of earlier builds. */
export function isFormerCache(folder: string): boolean {
  return CACHE_FILES.some(([below, name, begin]) =>
    regularFiles(path.join(folder, below)).some(
      (file) => name.test(path.basename(file)) && begin.test(readFileSync(file, 'latin1')),
    ),
  );
}

/** What earlier versions remembered in other forms, below a cache. */
const FORMER_STATE = [
  /^snapshots\/(?:[0-9a-f]{12}\/)?dealer-\d+\.(?:snapshot|[0-9a-f]{20}\.records)$/,
  /^pages\/(?:[0-9a-f]{12}\/)?\d+\.ndjson$/,
  /^media\/(?:configurations\/[0-9a-f]{12}\/)?(?:manifests\/\d+\.json|published\/\d+\.(?:json|txt)|journal\.ndjson|checked|listing)$/,
];

/** Removes from a cache what earlier versions remembered in it, and nothing reads any more. */
export function removeFormerState(cacheDir: string): void {
  const visit = (below: string): void => {
    for (const entry of entriesOf(path.join(cacheDir, below))) {
      const name = `${below}/${entry.name}`;
      if (!entry.isDirectory()) {
        if (FORMER_STATE.some((form) => form.test(name))) rmSync(path.join(cacheDir, name));
      } else if (name !== 'media/files') visit(name);
    }
    // Somebody else's file in it keeps it.
    removeIfEmpty(path.join(cacheDir, below));
  };
  for (const folder of ['snapshots', 'pages', 'media']) visit(folder);
}

/** Names of a working folder; more is added to them for as long as they are written. */
const WORK_ENTRY = /^(?:lock|next|former|(?:next|published)\.manifest(?:\.\d+|\.[0-9a-f]+\.tmp)?)$/;

/** Whether a folder is what earlier builds had beside an output folder. */
export function isFormerWork(folder: string): boolean {
  return (
    entriesOf(folder).every(({ name }) => WORK_ENTRY.test(name)) &&
    regularFiles(folder).some(
      (file) =>
        path.basename(file) === 'published.manifest' &&
        /^[0-9a-f]{8} \{"version":/.test(readFileSync(file, 'latin1')),
    )
  );
}

/** Whether a folder is what `npm start` and `npm run dev -- --sample` worked in. */
export const isFormerDemo = (folder: string): boolean =>
  regularFiles(folder).some(
    (file) =>
      /^stock-\d+\.csv$/.test(path.basename(file)) && isFormerCache(path.join(folder, 'cache')),
  );

function regularFiles(folder: string): string[] {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return entriesOf(folder)
    .filter((entry) => entry.isFile())
    .map(({ name }) => path.join(folder, name));
}

/** As much of a report as says that it is one, whichever version wrote it. */
const reportSchema = z.object({ outcome: z.string(), exitCode: z.number() });

/** Whether a text is a report of a build. */
export function isReport(text: string): boolean {
  try {
    return reportSchema.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}
