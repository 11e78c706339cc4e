import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { writeFileAtomic } from '../../files.ts';
import { sealed, unsealed } from '../store/dealer-file.ts';
import { readIfThere } from '../store/read-if-there.ts';

/**
 * The lists of the build before, and what each line was made of: `DEALER.json` is the list as it was
 * published, `DEALER.txt` has a row for each of its lines. Both torn is as if they were not there.
 */

/** A vehicle's line, and what it was made of. */
export interface Line {
  from: string;
  line: string;
}

export type Lines = Map<string, Line>;

const listFile = (folder: string, dealer: string): string => path.join(folder, `${dealer}.json`);
const indexFile = (folder: string, dealer: string): string => path.join(folder, `${dealer}.txt`);

export interface ListMemory {
  /** Lines that are known. */
  size: number;
  /** What the line of a vehicle was made of. */
  madeOf(vehicle: string): string | undefined;
  /** The list; undefined where it is not as it was. */
  list(): Uint8Array | undefined;
  /** Its lines; none where it is not as it was. */
  lines(): Lines;
}

/** @param head what all lines depend on: another one makes them useless. */
export function openMemory(folder: string, dealer: string, head: string): ListMemory | undefined {
  const index = unsealed(readIfThere(indexFile(folder, dealer))?.toString('latin1') ?? '');
  const [first, sum, ...rows] = index?.split('\n') ?? [];
  if (first !== head) return undefined;
  const known = new Map<string, { from: string; length: number }>();
  for (const row of rows) {
    const [vehicle = '', from = '', length] = row.split(' ');
    known.set(vehicle, { from, length: Number(length) });
  }
  const list = () => {
    const bytes = readIfThere(listFile(folder, dealer));
    return bytes && String(crc32(bytes)) === sum ? bytes : undefined;
  };
  return {
    size: known.size,
    madeOf: (vehicle) => known.get(vehicle)?.from,
    list,
    lines: () => {
      const lines: Lines = new Map();
      const text = list()?.toString('latin1');
      if (text === undefined) return lines;
      let at = text.indexOf('\n') + 1;
      for (const [vehicle, { from, length }] of known) {
        lines.set(vehicle, { from, line: text.slice(at, at + length) });
        // A comma and the end of the line.
        at += length + 2;
      }
      return lines;
    },
  };
}

/** A list that was just found there, or written. */
export const readMemory = (folder: string, dealer: string): Uint8Array =>
  readFileSync(listFile(folder, dealer));

/** Remembers a list. */
export async function writeMemory(
  folder: string,
  dealer: string,
  { head, lines, content }: { head: string; lines: readonly [string, Line][]; content: string },
): Promise<void> {
  const rows = lines.map(([vehicle, { from, line }]) => `${vehicle} ${from} ${line.length}`);
  // Losing it costs time alone, so nobody waits for the disk.
  await writeFileAtomic(listFile(folder, dealer), content, { fsync: false });
  const index = [head, crc32(content), ...rows].join('\n');
  await writeFileAtomic(indexFile(folder, dealer), sealed(index), { fsync: false });
}

/** Removes what is remembered of dealers that are no more. */
export function forgetOthers(folder: string, dealers: ReadonlySet<string>): void {
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder)) {
    if (/^\d+\.(?:json|txt)$/.test(file) && !dealers.has(path.parse(file).name))
      rmSync(path.join(folder, file), { force: true });
  }
}
