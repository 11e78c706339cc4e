import type { LoadedConfig } from '../config/load.ts';
import {
  bytesHash,
  type FileRows,
  filesName,
  type PublishedFile,
  writeFiles,
} from '../record/files.ts';
import type { MadeRecord } from './pages.ts';
import { RECORDS, type WrittenNext } from './records.ts';

/** The lists of a site's files, as files of the site, and what they complete. */
export interface FileLists {
  texts: [file: string, text: string][];
  records: WrittenNext[];
}

/** Lists the files of each dealer, and those of the site as a whole, which no dealer has. */
export function fileLists(
  rows: FileRows,
  made: readonly MadeRecord[],
  { dealers }: Pick<LoadedConfig, 'dealers'>,
): FileLists {
  const ids = new Map(dealers.map(({ slug, id }) => [slug, id]));
  const byDealer = new Map<number | 'site', Map<string, PublishedFile>>();
  for (const [file, row] of rows) {
    const [first = '', second = ''] = file.split('/', 2);
    const of = ids.get(first === 'embed' ? second : first) ?? 'site';
    const its = byDealer.get(of);
    if (its) its.set(file, row);
    else byDealer.set(of, new Map([[file, row]]));
  }
  const lists: FileLists = { texts: [], records: [] };
  for (const { head, names, ...record } of made) {
    const name = filesName(record.id);
    const text = writeFiles({ rows: byDealer.get(record.id) ?? new Map(), plan: head });
    lists.texts.push([RECORDS + name, text]);
    lists.records.push({ ...record, files: bytesHash(text), names: [...names, name] });
  }
  const own = byDealer.get('site');
  if (own) lists.texts.push([RECORDS + filesName('site'), writeFiles({ rows: own })]);
  return lists;
}
