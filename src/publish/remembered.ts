import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { writeFileAtomic } from '../files.ts';
import { sealed, unsealed } from '../media/store/dealer-file.ts';
import type { VehicleRecord } from '../site/entry.ts';
import type { DealerHead, RememberedDealer } from '../site/plan/dealer-plan.ts';

/** Raised together with any change of the form. */
const VERSION = 3;

const fileOf = (folder: string, dealerId: number): string =>
  path.join(folder, `${dealerId}.ndjson`);

/** Where what builds of a configuration keep of their dealers lies: others may share the cache. */
export const rememberedFolder = (cacheDir: string, configuration: string): string =>
  path.join(cacheDir, 'pages', configuration);

/**
 * What an earlier build kept of a dealer: the head on one line, the records of its vehicles on the
 * other, which is only parsed if it is asked for. A damaged file is as if there were none; what it
 * would have spared is made again.
 */
export function readRemembered(folder: string, dealerId: number): RememberedDealer | undefined {
  let text: string;
  try {
    text = readFileSync(fileOf(folder, dealerId), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const cut = text.indexOf('\n');
  const first = unsealed(text.slice(0, cut));
  const rest = unsealed(text.slice(cut + 1));
  if (first === undefined || rest === undefined) return undefined;
  const { version, head }: { version: number; head: DealerHead } = JSON.parse(first);
  if (version !== VERSION) return undefined;
  return { head, vehicles: (): VehicleRecord[] => JSON.parse(rest) };
}

/** Keeps what a build found out of a dealer, atomically. */
export async function writeRemembered(
  folder: string,
  dealerId: number,
  { head, vehicles }: { head: DealerHead; vehicles: readonly VehicleRecord[] },
): Promise<void> {
  const file = fileOf(folder, dealerId);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFileAtomic(
    file,
    `${sealed(JSON.stringify({ version: VERSION, head }))}\n${sealed(JSON.stringify(vehicles))}`,
  );
}
