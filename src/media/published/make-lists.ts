import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Source } from '../plan.ts';
import { dealerOf, type Picture, type SourceEntry } from '../store/dealer-file.ts';
import {
  type Group,
  groupHash,
  groupName,
  groupNames,
  hashedItem,
  hashedKey,
  tagsOf,
} from './groups.ts';
import {
  LARGEST_LIST,
  type ListRow,
  listName,
  type PublishedList,
  readLine,
  toValidator,
  writeList,
} from './list-file.ts';
import { forgetOthers, type Lines, openMemory, readMemory, writeMemory } from './list-memory.ts';
import { readEach } from './read-each.ts';

/** What a source shows, and of which source that is: another one where it stands in. */
export interface Shown {
  key: string;
  entry: SourceEntry;
  content: Picture;
}

export interface ListsInput {
  sources: readonly Source[];
  shown: (key: string) => Shown | undefined;
  /** Sources that could not be had or asked for in this run. */
  failed: ReadonlySet<string>;
  revalidateAfter: number;
  /** Folder of the outputs. */
  files: string;
  /** Dealers that this run is not about: what is remembered of them stays. */
  otherDealers: ReadonlySet<string>;
  /** Folder of what is remembered of the lists of the build before. */
  memory: string;
  /** Hashes of groups that are known, by {@link groupName}. */
  hashes: ReadonlyMap<string, string>;
  signal?: AbortSignal | undefined;
}

/** Milliseconds after which whatever else waits gets its turn: progress, the end of the run. */
const TURN = 50;

/** A list as a file of the site. */
export interface ListFile {
  /** Below the site. */
  name: string;
  /** SHA-256 of its content. */
  digest: string;
  /** Read when it is needed: the lists of 20,000 vehicles are 40 MB. */
  content: () => Uint8Array;
}

/**
 * The lists of all dealers. Where nothing changed of a dealer, the list of the build before is taken
 * as it is; where something did, the lines of all other vehicles are: so no thumbnail is read for
 * them and no address hashed. What is remembered is of use, never needed.
 */
export async function makeLists(input: ListsInput): Promise<ListFile[]> {
  // The files that are returned outlive the input, which is as large as all that is known.
  const { memory } = input;
  const groups = tagsOf(input.sources);
  const files: ListFile[] = [];
  const byDealer = Map.groupBy(input.sources, ({ key }) => dealerOf(key));
  forgetOthers(memory, new Set([...byDealer.keys(), ...input.otherDealers]));
  for (const [dealer, its] of byDealer) {
    const content = await makeList(dealer, its, { ...input, groups });
    // All of it is ASCII.
    if (!content || content.length > LARGEST_LIST) continue;
    files.push({
      name: listName(dealer),
      digest: hash('sha256', content, 'base64url'),
      content: () => readMemory(memory, dealer),
    });
  }
  return files;
}

async function makeList(
  dealer: string,
  sources: readonly Source[],
  input: ListsInput & Pick<PublishedList, 'groups'>,
): Promise<string | Uint8Array | undefined> {
  const { groups, revalidateAfter, memory } = input;
  const head = [...groups, revalidateAfter].join();
  const former = openMemory(memory, dealer, head);
  const vehicles = Map.groupBy(sources, ({ vehicle }) => vehicle);
  const lines: Lines = new Map();
  const changed: { vehicle: string; pictures: readonly Source[]; from: string }[] = [];
  let known = 0;
  for (const [vehicle, pictures] of vehicles) {
    const from = madeOf(pictures, input);
    if (from === undefined) continue;
    if (former?.madeOf(vehicle) === from) known++;
    else changed.push({ vehicle, pictures, from });
  }
  if (former && changed.length === 0 && known === former.size) {
    const same = former.list();
    if (same) return same;
  }
  const formerLines = former?.lines() ?? new Map();
  for (const vehicle of vehicles.keys()) {
    const line = formerLines.get(vehicle);
    if (line) lines.set(vehicle, line);
  }
  // Whatever could not be read after all is made anew.
  if (lines.size < known) {
    lines.clear();
    changed.length = 0;
    for (const [vehicle, pictures] of vehicles) {
      const from = madeOf(pictures, input);
      if (from !== undefined) changed.push({ vehicle, pictures, from });
    }
  }
  let turn = performance.now();
  for (const { vehicle, pictures, from } of changed) {
    const { line, whole } = makeLine(pictures, input, lines.get(vehicle)?.line);
    // A group that is not whole is looked at again, whatever else stays as it was.
    lines.set(vehicle, { line, from: whole ? from : '-' });
    if (performance.now() - turn < TURN) continue;
    await setImmediate();
    input.signal?.throwIfAborted();
    turn = performance.now();
  }
  if (lines.size === 0) return undefined;
  const sorted = [...lines].sort(([a], [b]) => (a < b ? -1 : 1));
  const content = writeList(
    { groups, revalidateAfter },
    sorted.map(([, { line }]) => line),
  );
  await writeMemory(memory, dealer, { head, lines: sorted, content });
  return content;
}

const isCurrent = ({ key }: Source, shown: Shown, { failed }: ListsInput): boolean =>
  shown.key === key && !failed.has(key);

/** Everything that a vehicle's line follows from, in short; undefined where it has none. */
function madeOf(pictures: readonly Source[], input: ListsInput): string | undefined {
  let text = '';
  for (const source of pictures) {
    const shown = input.shown(source.key);
    if (!shown) continue;
    const { key, entry } = shown;
    const current = isCurrent(source, shown, input);
    text += `\n${key} ${entry.hash} ${entry.etag} ${entry.lastModified} ${source.recipes.length} ${current}`;
  }
  if (text === '') return undefined;
  return hash('sha256', `${pictures[0]?.vehicleDate}${text}`, 'base64url').slice(0, 22);
}

function makeLine(
  pictures: readonly Source[],
  input: ListsInput,
  former: string | undefined,
): { line: string; whole: boolean } {
  const hashes = new Map<string, string>();
  for (const [, , content, , , , every, cover] of (former && readLine(former)?.[1]) || []) {
    if (every) hashes.set(groupName(content, 'every'), every);
    if (cover) hashes.set(groupName(content, 'cover'), cover);
  }
  const rows: ListRow[] = [];
  let whole = true;
  for (const source of pictures) {
    const shown = input.shown(source.key);
    if (!shown) continue;
    const { entry, content } = shown;
    const hashOf = (group: Group): string => {
      const names = groupNames({ hash: entry.hash, ...content }, source.recipes, group);
      if (names.length === 0) return '';
      const name = groupName(entry.hash, group);
      const known = input.hashes.get(name) ?? hashes.get(name);
      const found = known ?? hashFiles(input.files, names);
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
      hashOf('every'),
      hashOf('cover'),
      toValidator(entry),
      ...(isCurrent(source, shown, input) ? ([] as const) : ([1] as const)),
    ]);
  }
  return { line: JSON.stringify([pictures[0]?.vehicleDate ?? '', rows]), whole };
}

function hashFiles(folder: string, names: readonly string[]): string | undefined {
  try {
    return groupHash(readEach(folder, names));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
