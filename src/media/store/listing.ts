import { isOutputFile } from '../recipes.ts';
import { entriesOf } from './entries-of.ts';
import { isTemporaryName } from './folder.ts';
import { OutputNames } from './output-names.ts';

export interface Listing {
  outputs: OutputNames;
  /** What killed runs left, and what is nothing that a run makes. */
  leftovers: string[];
}

/** The names of all outputs in a store, and of leftovers of killed runs. */
export function listOutputs(folder: string): Listing {
  const listing: Listing = { outputs: new OutputNames(), leftovers: [] };
  for (const entry of entriesOf(folder)) {
    if (!/^[0-9a-f]{2}$/.test(entry.name)) continue;
    // Nothing here makes links; through one we would write, or publish, files from anywhere.
    if (entry.isDirectory()) listShard(folder, entry.name, listing);
    else listing.leftovers.push(entry.name);
  }
  return listing;
}

function listShard(folder: string, shard: string, { outputs, leftovers }: Listing): void {
  for (const entry of entriesOf(`${folder}/${shard}`)) {
    const { name } = entry;
    const isOutput = isOutputFile(name);
    if (isOutput && entry.isFile()) outputs.addEnd(shard + name.slice(0, 18), name.slice(18));
    else if (isOutput ? entry.isSymbolicLink() : entry.isFile() && isTemporaryName(name)) {
      leftovers.push(`${shard}/${name}`);
    }
  }
}
