import { closeSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { SiteFile } from '../../change-set/change-set.ts';
import { entriesOf } from '../../lib/files/entries-of.ts';

/**
 * Which files the next site has, in parts: each chunk of dealers writes its own, in order, whichever
 * process it is built by. So nobody ever holds the names of all.
 */

let written = 0;

const inOrder = (one: SiteFile, other: SiteFile): number => (one.path < other.path ? -1 : 1);

/** Writes the files of a chunk. */
export function writeRows(folder: string, rows: readonly SiteFile[]): void {
  mkdirSync(folder, { recursive: true });
  const lines = rows
    .toSorted(inOrder)
    .map((row) => `${JSON.stringify([row.path, row.size, row.hash])}\n`);
  writeFileSync(path.join(folder, `${process.pid}-${written++}`), lines.join(''), { flag: 'wx' });
}

/** Bytes that are read at once. */
const CHUNK = 2 ** 16;

function* rowsIn(file: string): Generator<SiteFile, undefined> {
  const handle = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(CHUNK);
    const decoder = new StringDecoder('utf8');
    let rest = '';
    for (;;) {
      const count = readSync(handle, bytes, 0, CHUNK, null);
      if (count === 0) return undefined;
      const lines = (rest + decoder.write(bytes.subarray(0, count))).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [its, size, hash] = JSON.parse(line) as [string, number, string];
        yield { path: its, size, hash };
      }
    }
  } finally {
    closeSync(handle);
  }
}

/** The files of all chunks, in order. One that several have comes as often. */
function* inAllParts(folder: string): Generator<SiteFile> {
  const heads: { row: SiteFile; rest: Generator<SiteFile, undefined> }[] = [];
  const add = (rest: Generator<SiteFile, undefined>): void => {
    const { value: row } = rest.next();
    if (!row) return;
    // The first of all is the last here, where taking it is cheapest.
    let [from, to] = [0, heads.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const isAfter = row.path < (heads[middle] as { row: SiteFile }).row.path;
      if (isAfter) from = middle + 1;
      else to = middle;
    }
    heads.splice(from, 0, { row, rest });
  };
  for (const { name } of entriesOf(folder)) add(rowsIn(path.join(folder, name)));
  for (let head = heads.pop(); head; head = heads.pop()) {
    yield head.row;
    add(head.rest);
  }
}

/**
 * The files of all chunks, in order, each once.
 *
 * @param choose says which it is, of two that differ: what dealers know of equal pictures may.
 */
export function* allRows(
  folder: string,
  choose: (one: SiteFile, other: SiteFile) => SiteFile,
): Generator<SiteFile> {
  let last: SiteFile | undefined;
  for (const row of inAllParts(folder)) {
    if (last?.path !== row.path) {
      if (last) yield last;
      last = row;
    } else if (last.hash !== row.hash || last.size !== row.size) last = choose(last, row);
  }
  if (last) yield last;
}
