import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isOutputFile } from '../recipes.ts';
import { OutputNames } from './output-names.ts';

/** Machines that share a folder may have processes of the same number. */
const run = randomBytes(4).toString('hex');
let counter = 0;

/** A name beside a file that no other process takes, and that is no output's. */
export const temporaryName = (target: string): string => `${target}.${run}-${counter++}.tmp`;

/** Writes one output so that it is there whole or not at all, also when the process is killed. */
export async function putOutput(folder: string, name: string, data: Uint8Array): Promise<void> {
  const target = path.join(folder, name);
  // The temporary name is no output name, so a torn one is never taken for an output.
  const temporary = temporaryName(target);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(temporary, data);
  await rename(temporary, target);
}

/** Puts the bytes of a source where the encoder can read them; returns the file. */
export function putIncoming(folder: string, hash: string, data: Uint8Array): string {
  // A leftover of a killed run has the form of a torn output, and goes with those.
  const file = temporaryName(path.join(folder, hash.slice(0, 2), hash));
  // Synchronous: half a millisecond into the page cache, where four trips to a thread take longer.
  try {
    writeFileSync(file, data);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, data);
  }
  return file;
}

/** Whether one output is there. */
export function hasOutput(folder: string, name: string): boolean {
  return existsSync(path.join(folder, name));
}

/**
 * The names of all outputs, and of leftovers of killed runs. Listing is one call a folder, where
 * asking for each file would be one a file (measured: 0.15 s against 0.5 s at 60,000 files).
 */
export function listOutputs(folder: string): { outputs: OutputNames; leftovers: string[] } {
  const outputs = new OutputNames();
  const leftovers: string[] = [];
  if (!existsSync(folder)) return { outputs, leftovers };
  for (const shard of readdirSync(folder, { withFileTypes: true })) {
    if (!/^[0-9a-f]{2}$/.test(shard.name)) continue;
    // Nothing here makes links; through one we would write, or publish, files from anywhere.
    if (!shard.isDirectory()) {
      leftovers.push(shard.name);
      continue;
    }
    for (const file of readdirSync(path.join(folder, shard.name), { withFileTypes: true })) {
      if (isOutputFile(file.name) && file.isFile()) {
        outputs.addEnd(shard.name + file.name.slice(0, 18), file.name.slice(18));
      } else if (file.isSymbolicLink() || file.name.endsWith('.tmp')) {
        leftovers.push(`${shard.name}/${file.name}`);
      }
    }
  }
  return { outputs, leftovers };
}

/** Removes outputs by name; a name that is already gone is no fault. */
export async function removeOutputs(folder: string, names: Iterable<string>): Promise<void> {
  for (const name of names) await rm(path.join(folder, name), { force: true });
}
