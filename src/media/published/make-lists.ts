import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pMap from 'p-map';
import type { Source } from '../plan.ts';
import {
  type ContentEntry,
  dealerOf,
  type SourceEntry,
  sealed,
  unsealed,
} from '../store/dealer-file.ts';
import {
  type Group,
  groupHash,
  groupName,
  groupNames,
  hashedItem,
  hashedKey,
  tagsOf,
} from './groups.ts';
import { LARGEST_LIST, type ListRow, listName, readLine, toValidator, writeList } from './list-file.ts';

/** What a source shows, and of which source that is: another one where it stands in. */
export interface Shown {
  key: string;
  entry: SourceEntry;
  content: ContentEntry;
}

export interface ListsInput {
  sources: readonly Source[];
  shown: (key: string) => Shown | undefined;
  /** Sources that could not be had or asked for in this run. */
  failed: ReadonlySet<string>;
  revalidateAfter: number;
  /** Folder of the outputs. */
  files: string;
  /** Folder of what is remembered of the lists of the build before. */
  memory: string;
  /** Hashes of groups that are known, by {@link groupName}. */
  hashes: ReadonlyMap<string, string>;
}

/** One vehicle's line, and what it was made of. */
interface Remembered {
  from: string;
  line: string;
}

/** Vehicles whose lines are made at the same time. */
const AT_ONCE = 4;

/**
 * The lists of all dealers, as files of the site. Lines of vehicles of which nothing changed are
 * taken as the build before wrote them, so that neither a thumbnail is read for them nor an address
 * hashed (20,000 pictures: 0.1 s against a minute). What is remembered is of use, never needed.
 */
export async function makeLists(input: ListsInput): Promise<{ name: string; content: string }[]> {
  const { sources, revalidateAfter, memory } = input;
  const groups = tagsOf(sources);
  const lists: { name: string; content: string }[] = [];
  const byDealer = Map.groupBy(sources, ({ key }) => dealerOf(key));
  forgetOthers(memory, byDealer);
  for (const [dealer, its] of byDealer) {
    const former = readMemory(memory, dealer, groups.join());
    const lines = new Map<string, Remembered>();
    let changed = false;
    await pMap(
      Map.groupBy(its, ({ vehicle }) => vehicle),
      async ([vehicle, pictures]) => {
        const from = madeOf(pictures, input);
        const known = former.get(vehicle);
        if (known?.from === from) {
          lines.set(vehicle, known);
          return;
        }
        changed = true;
        const made = await makeLine(pictures, input, known);
        // A group that is not whole is looked at again, whatever else stays as it was.
        if (made) lines.set(vehicle, { line: made.line, from: made.whole ? from : '-' });
      },
      { concurrency: AT_ONCE },
    );
    const sorted = [...lines].sort(([a], [b]) => (a < b ? -1 : 1));
    if (changed || lines.size !== former.size) {
      await writeMemory(memory, dealer, groups.join(), sorted);
    }
    if (sorted.length === 0) continue;
    const content = writeList(
      { groups, revalidateAfter },
      sorted.map(([, { line }]) => line),
    );
    // All of it is ASCII.
    if (content.length <= LARGEST_LIST) lists.push({ name: listName(dealer), content });
  }
  return lists;
}

const isCurrent = ({ key }: Source, shown: Shown, { failed }: ListsInput): boolean =>
  shown.key === key && !failed.has(key);

/** Everything that a vehicle's line follows from, in short. */
function madeOf(pictures: readonly Source[], input: ListsInput): string {
  let text = pictures[0]?.vehicleDate ?? '';
  for (const source of pictures) {
    const shown = input.shown(source.key);
    if (!shown) continue;
    const { entry } = shown;
    text += `\n${shown.key} ${entry.hash} ${toValidator(entry)} ${source.recipes.length} ${isCurrent(source, shown, input)}`;
  }
  return hash('sha256', text, 'base64url').slice(0, 22);
}

async function makeLine(
  pictures: readonly Source[],
  input: ListsInput,
  former: Remembered | undefined,
): Promise<{ line: string; whole: boolean } | undefined> {
  const hashes = new Map<string, string>();
  for (const [, , content, , , , every, cover] of (former && readLine(former.line)?.[1]) ?? []) {
    if (every) hashes.set(groupName(content, 'every'), every);
    if (cover) hashes.set(groupName(content, 'cover'), cover);
  }
  const rows: ListRow[] = [];
  let whole = true;
  for (const source of pictures) {
    const shown = input.shown(source.key);
    if (!shown) continue;
    const { entry, content } = shown;
    const hashOf = async (group: Group): Promise<string> => {
      const names = groupNames({ hash: entry.hash, ...content }, source.recipes, group);
      if (names.length === 0) return '';
      const name = groupName(entry.hash, group);
      const known = input.hashes.get(name) ?? hashes.get(name);
      const found = known ?? (await hashFiles(input.files, names));
      if (found === undefined) whole = false;
      return found ?? '';
    };
    rows.push([
      hashedItem(source.key),
      hashedKey(shown.key),
      entry.hash,
      content.width,
      content.height,
      content.colour,
      await hashOf('every'),
      await hashOf('cover'),
      toValidator(entry),
      ...(isCurrent(source, shown, input) ? ([] as const) : ([1] as const)),
    ]);
  }
  if (rows.length === 0) return undefined;
  return { line: JSON.stringify([pictures[0]?.vehicleDate ?? '', rows]), whole };
}

async function hashFiles(folder: string, names: readonly string[]): Promise<string | undefined> {
  try {
    const outputs = names.map(async (name) => ({
      name,
      bytes: await readFile(path.join(folder, name)),
    }));
    return groupHash(await Promise.all(outputs));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes what is remembered of dealers that are no more. */
function forgetOthers(folder: string, dealers: ReadonlyMap<string, unknown>): void {
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder)) {
    if (!dealers.has(path.parse(file).name)) rmSync(path.join(folder, file), { force: true });
  }
}

const memoryFile = (folder: string, dealer: string): string => path.join(folder, `${dealer}.txt`);

function readMemory(folder: string, dealer: string, head: string): Map<string, Remembered> {
  const vehicles = new Map<string, Remembered>();
  let text: string;
  try {
    text = readFileSync(memoryFile(folder, dealer), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return vehicles;
    throw error;
  }
  const [first, ...lines] = unsealed(text)?.split('\n') ?? [];
  if (first !== head) return vehicles;
  for (const text of lines) {
    const [vehicle = '', from = ''] = text.split(' ', 2);
    vehicles.set(vehicle, { from, line: text.slice(vehicle.length + from.length + 2) });
  }
  return vehicles;
}

async function writeMemory(
  folder: string,
  dealer: string,
  head: string,
  lines: readonly [string, Remembered][],
): Promise<void> {
  const { default: writeFileAtomic } = await import('write-file-atomic');
  const rows = lines.map(([vehicle, { from, line }]) => `${vehicle} ${from} ${line}`);
  await writeFileAtomic(memoryFile(folder, dealer), sealed([head, ...rows].join('\n')));
}
