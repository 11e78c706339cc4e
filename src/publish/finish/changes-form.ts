import { rmSync } from 'node:fs';
import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import { MEDIA } from '../../images/stores/folder.ts';
import { linkFile } from '../../lib/files/hard-link.ts';
import { isSafeFile } from '../../lib/files/safe-file.ts';
import { fileHash } from '../../record/files.ts';
import { PUBLISHED_TIMES } from '../../record/published-records.ts';
import { newestOf } from '../../record/times.ts';
import { indexNowKey } from '../../site/documents/index-now.ts';
import { changedFiles, readRecordsFolder, writeChanges } from '../changes/changes.ts';
import type { MadePages } from '../chunk/built-chunk.ts';
import { checkChangesFolder } from '../folder-checks/site-folder.ts';
import { stagingFolder, swap } from '../output/swap.ts';
import type { Form, NextSite } from './finish.ts';

/** The next site as a change set, which replaces the previous one. */
export function changesForm(
  { output, pages, media, times }: NextSite,
  { site }: Pick<LoadedConfig, 'site'>,
): Form {
  const staging = stagingFolder(output);
  const files = changedFiles(staging);
  /** Files of the site that its pages link to. */
  const linked = new Set<string>();
  return {
    isPublished: () => false,
    staged: files,
    place: async () => {
      for (const name of media.unpublished) {
        linkFile(`${media.folder}/${name}`, path.join(files, MEDIA, name));
      }
      const linkTargets = new Set(pages.flatMap(({ links }) => [...links.keys()]));
      const builtAt = newestOf(pages.flatMap(({ records }) => records));
      const changed = [...new Set(changedOf(pages))].filter(isSafeFile).sort();
      const indexNow = site.indexNow ? indexNowKey(site.url) : undefined;
      const head = { site: site.url, built: builtAt, changed, ...(indexNow && { indexNow }) };
      const entry = {
        path: PUBLISHED_TIMES,
        size: Buffer.byteLength(times),
        hash: fileHash(times),
      };
      await writeChanges(
        staging,
        head,
        [entry],
        (file) => linkTargets.has(file) && linked.add(file),
      );
    },
    has: (file) => linked.has(file),
    records: [readRecordsFolder(staging)],
    publish: async () => {
      rmSync(readRecordsFolder(staging), { recursive: true, force: true });
      // The folder may have changed since the check at the start of the build.
      checkChangesFolder(output);
      swap(output);
    },
  };
}

/** Changed pages of the site. Site-wide pages are always rendered, but count as changed only if a dealer's page changed. */
function changedOf(pages: readonly MadePages[]): string[] {
  const dealers = pages.filter(({ records }) => records.length > 0);
  const isChanged = dealers.some(({ changed }) => changed.length > 0);
  return (isChanged ? pages : dealers).flatMap(({ changed }) => changed);
}
