import { readdirSync } from 'node:fs';
import path from 'node:path';
import { writeFileAtomic } from '../../files.ts';
import { isOutputFile } from '../recipes.ts';
import { sealed, unsealed } from './dealer-file.ts';
import { entriesOf } from './entries-of.ts';
import { isTemporaryName } from './folder.ts';
import { OutputNames } from './output-names.ts';
import { readIfThere } from './read-if-there.ts';
import { stampOf } from './stamp.ts';

/** The form of the memory. Raised together with any change of it. */
const VERSION = 1;

/** What is in one of the 256 folders of a store. */
interface Shard {
  /** What the folder looked like just before; undefined where it is to be looked into again. */
  stamp: string | undefined;
  pictures: ReturnType<OutputNames['pictures']>;
  leftovers: readonly string[];
}
type Shards = Map<string, Shard>;

/** A row of the memory. */
type Row = [shard: string, stamp: string, pictures: Shard['pictures']];

export interface Listing {
  outputs: OutputNames;
  /** What killed runs left, and what is nothing that a run makes. */
  leftovers: string[];
  /** Notes what is in the folder now, for the next listing. */
  remember: () => Promise<void>;
}

/**
 * The names of all outputs, and of leftovers of killed runs. A folder of the store that looks as it
 * did when it was read last is not read again: nearly always nothing changed, and reading 82,000
 * names takes 0.13 s where remembering them takes 0.01 (measured). The memory is of use, never needed.
 *
 * @param memory file that holds what is remembered; it need not exist. Without one all is read.
 */
export function listOutputs(folder: string, memory?: string): Listing {
  const remembered: Shards = memory === undefined ? new Map() : readMemory(memory);
  const { shards, leftovers } = readShards(folder, remembered);
  const outputs = new OutputNames();
  for (const { pictures } of shards.values()) {
    for (const [ends, hashes] of pictures) outputs.addPictures(ends, hashes);
  }
  return {
    outputs,
    leftovers,
    remember: async () => {
      if (memory === undefined) return;
      const now = readShards(folder, shards).shards;
      for (const [name, { stamp }] of now) if (stamp === undefined) now.delete(name);
      const same = [...now].every(([name, shard]) => remembered.get(name) === shard);
      if (same && now.size === remembered.size) return;
      await writeMemory(memory, now);
    },
  };
}

/** @param known shards as they were before; one that looks the same is taken as it is. */
function readShards(folder: string, known: Shards): { shards: Shards; leftovers: string[] } {
  const shards: Shards = new Map();
  const leftovers: string[] = [];
  for (const entry of entriesOf(folder)) {
    const { name } = entry;
    if (!/^[0-9a-f]{2}$/.test(name)) continue;
    // Nothing here makes links; through one we would write, or publish, files from anywhere.
    if (!entry.isDirectory()) {
      leftovers.push(name);
      continue;
    }
    // Taken before the folder is read: a change in between makes the next stamp another one.
    const stamp = stampOf(path.join(folder, name));
    const before = known.get(name);
    const same = stamp !== undefined && before?.stamp === stamp;
    const shard = same ? before : readShard(folder, name, stamp);
    shards.set(name, shard);
    leftovers.push(...shard.leftovers);
  }
  return { shards, leftovers };
}

function readShard(folder: string, shard: string, stamp: string | undefined): Shard {
  const outputs = new OutputNames();
  const leftovers: string[] = [];
  let odd = false;
  for (const file of readdirSync(path.join(folder, shard), { withFileTypes: true })) {
    const { name } = file;
    if (isOutputFile(name) && file.isFile()) {
      outputs.addEnd(shard + name.slice(0, 18), name.slice(18));
      continue;
    }
    odd = true;
    const isLink = file.isSymbolicLink() && isOutputFile(name);
    if (isLink || (file.isFile() && isTemporaryName(name))) leftovers.push(`${shard}/${name}`);
  }
  return { stamp: odd ? undefined : stamp, pictures: outputs.pictures(), leftovers };
}

/** The checksum vouches for the form: this is our own writing. */
function readMemory(file: string): Shards {
  const body = unsealed(readIfThere(file)?.toString('latin1') ?? '');
  if (body === undefined) return new Map();
  const [version, rows]: [number, Row[]] = JSON.parse(body);
  if (version !== VERSION) return new Map();
  return new Map(
    rows.map(([shard, stamp, pictures]) => [shard, { stamp, pictures, leftovers: [] }]),
  );
}

async function writeMemory(file: string, shards: Shards): Promise<void> {
  const rows = Array.from(shards, ([name, { stamp, pictures }]) => [name, stamp, pictures]);
  // Losing it costs time alone, so nobody waits for the disk.
  await writeFileAtomic(file, sealed(JSON.stringify([VERSION, rows])), { fsync: false });
}
