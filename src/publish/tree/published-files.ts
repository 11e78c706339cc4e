import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { entriesOf } from '../../media/store/entries-of.ts';
import {
  bytesHash,
  type FileRows,
  filesName,
  type PublishedFile,
  readFiles,
} from '../../record/files.ts';
import { readTimes } from '../../record/times.ts';
import type { DealerHead } from '../../site/plan/dealer-plan.ts';
import { PUBLISHED_TIMES, RECORDS } from '../records.ts';
import { RECORD } from '../shards/record.ts';

/** A published folder, as the lists in it say. */
export interface PublishedFolder {
  rows: FileRows;
  /** Whether the lists name all files that builds made. */
  isWhole: boolean;
  /** To be reported: lists that should be there. */
  note?: string;
  /** What the lists of dealers were made from, by dealer id. */
  heads: ReadonlyMap<number, DealerHead>;
  /**
   * When it was last found to be as it should be, milliseconds since 1970 by the clock of the disk. A
   * file that is older and of the same size has not changed since (git's index goes by the same).
   */
  since: number;
}

const LIST = /^(?:site|(\d+))\.files\.json$/;

/** What is known of the files of a published folder; nothing where none is there. A damaged list counts for none. */
export function readPublishedFolder(output: string): PublishedFolder {
  const rows = new Map<string, PublishedFile>();
  const heads = new Map<number, DealerHead>();
  const read = new Set<string>();
  let hasOther = false;
  const file = path.join(output, PUBLISHED_TIMES);
  const stats = statSync(file, { throwIfNoEntry: false });
  const times = stats && readTimes(readFileSync(file));
  for (const { name } of entriesOf(path.join(output, RECORDS))) {
    const list = LIST.exec(name);
    if (!list) continue;
    const bytes = readFileSync(path.join(output, RECORDS, name));
    // One that the times do not name is of another night, or another dealer's.
    const isNamed = (id: string) => times?.get(Number(id))?.files === bytesHash(bytes);
    if (list[1] !== undefined && times && !isNamed(list[1])) {
      hasOther = true;
      continue;
    }
    const found = readFiles(bytes);
    if (!found) continue;
    read.add(list[1] ?? 'site');
    for (const [file, row] of found.rows) rows.set(file, row);
    if (list[1] !== undefined && found.plan) heads.set(Number(list[1]), found.plan as DealerHead);
  }
  // A part has no list of the site as a whole, and lists its dealers all the same.
  const site = existsSync(path.join(output, RECORD)) ? [] : ['site' as const];
  const lacking = times && [...site, ...times.keys()].filter((of) => !read.has(String(of)));
  const isWhole = !hasOther && lacking?.length === 0;
  const note = lacking?.[0] !== undefined && noteOf(lacking.map(filesName));
  return { rows, heads, isWhole, ...(note && { note }), since: stats?.mtimeMs ?? 0 };
}

const noteOf = ({ 0: first, length }: readonly string[]): string =>
  `Lists of files in the published folder are missing, damaged or of another night (${first}${length > 1 ? ` and ${length - 1} more` : ''}): what they list is made again.`;
