/** The step `verify`: verifies and lists rendered pages, and places them in the next site. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openedSources } from '../../config/opened-sources.ts';
import { keyIn, refuseKey } from '../../config/secret-search.ts';
import type { OutputNames } from '../../images/output-names.ts';
import type { MediaResult } from '../../images/pipeline/types.ts';
import { linkFiles } from '../../lib/files/hard-link.ts';
import {
  bytesHash,
  type FileRows,
  filesName,
  filesText,
  type PublishedFile,
  sumIn,
} from '../../record/files.ts';
import { RECORDS, type WrittenNext } from '../../record/published-records.ts';
import type { MadePages } from '../chunk/built-chunk.ts';
import type { SiteDiff } from '../site-diff/site-diff.ts';
import { verifyFiles } from '../verify/verify.ts';
import type { Build } from './context.ts';
import type { MadeRecord, RenderedPages } from './pages.ts';

/** Thumbnails and options for verifying pages. */
interface PageFacts {
  /** Thumbnails of the next site. */
  outputs: OutputNames;
  /** See `mentionsBatchFields`. */
  mentionsFields: boolean;
  /** Thumbnails of some dealers, for a change set. */
  thumbnails?: Pick<MediaResult, 'fingerprints' | 'unpublished'>;
  isSiteWide?: boolean;
}

/**
 * Verifies the pages of some dealers, or the site-wide pages. Lists their files: for a dealer next to its record.
 *
 * @returns plain data, which can be sent to another process.
 */
export async function verifyPages(
  { fromService, ...pages }: RenderedPages,
  diff: SiteDiff,
  { outputs, mentionsFields, thumbnails, isSiteWide = false }: PageFacts,
  build: Build,
): Promise<MadePages> {
  const { options, staging, search, signal, published, listChanges, beforeWrite } = build;
  const { rows, ...verified } = await verifyFiles({
    // Synchronous, because a promise for each file takes five times as long as reading it (measured with 4,000 files).
    read: (file) => readFileSync(path.join(staging, file)),
    siteUrl: options.config.site.url,
    opened: openedSources(options.config),
    search,
    mentionsFields,
    signal,
    newKeys: diff.keysToMake,
    unlisted: diff.recordsToWrite,
    unchangedRows: diff.unchangedRows,
    outputs,
    fromService,
  });
  if (isSiteWide) writeList(RECORDS + filesName('site'), filesText({ rows }), diff, build);
  const byDealer = isSiteWide ? undefined : rowsByDealer(rows, build);
  const records = pages.records.map((record) =>
    listed(record, byDealer?.get(record.id), diff, build),
  );
  const { isChanged, unchanged } = diff;
  const missingLists = [...published.missing];
  const result = { ...pages, ...verified, records, isChanged, missingLists };
  if (listChanges)
    return { ...result, unchanged: [], changed: listChanges(diff, rows, thumbnails) };
  // If something changed, the next site also needs the unchanged files. Workers link them in parallel.
  if (isChanged) linkFiles(unchanged, options.output, staging, beforeWrite);
  return { ...result, unchanged: isChanged ? [] : unchanged, changed: [] };
}

function rowsByDealer(rows: FileRows, { options }: Build) {
  const ids = new Map(options.config.dealers.map(({ slug, id }) => [slug, id]));
  return Map.groupBy(rows, ([file]) => {
    // Skips the folders of embedded pages and of a language. Neither is a dealer's name.
    const id = file
      .split('/', 3)
      .map((part) => ids.get(part))
      .find((dealerId) => dealerId !== undefined);
    if (id === undefined) throw new Error(`${file} does not belong to a dealer`);
    return id;
  });
}

/** Writes the list of a dealer's files. */
function listed(
  { head, names, ...record }: MadeRecord,
  rows: Iterable<readonly [string, PublishedFile]> = [],
  diff: SiteDiff,
  build: Build,
): WrittenNext {
  const name = filesName(record.id);
  const text = filesText({ rows: new Map(rows), plan: head });
  writeList(RECORDS + name, text, diff, build);
  return { ...record, files: bytesHash(text), names: [...names, name] };
}

function writeList(file: string, text: string, diff: SiteDiff, { search, write }: Build): void {
  if (!diff.mustMakeRecord(file, sumIn(text))) return;
  refuseKey(file, keyIn(search, file, Buffer.from(text)));
  write(`/${file}`, text);
}
