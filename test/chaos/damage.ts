import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BuildReport } from '../../src/publish/report/report.ts';
import { type FoundFile, readRecord } from '../../src/record/file.ts';
import { bytesHash, fileHash, filesName, readFiles } from '../../src/record/files.ts';
import { RECORDS } from '../../src/record/published-records.ts';
import { readTimes, TIMES } from '../../src/record/times.ts';
import type { Random } from '../../src/sample-service/data/random.ts';
import { DEALERS, dealerId } from './faults.ts';
import type { NightFacts } from './invariants.ts';
import type { Tree } from './live.ts';

/** A published record file that differs from the deployed one, such as after an interrupted deploy. */
export interface Damage {
  file: 'times' | 'record' | 'files' | 'site';
  dealer: number;
  /** `former`: from the previous deploy. `version`: from another version of this program. */
  how: 'gone' | 'torn' | 'version' | 'former';
  /** Only at `site.url`, also in the published folder of the kept disk, or also in every cache. */
  reach: 'site' | 'folder' | 'caches';
}

/** Draws the damage before a night, in most nights none. */
export function drawDamage(random: Random): Damage[] {
  if (!random.chance(0.25)) return [];
  return Array.from({ length: random.int(1, 2) }, () => ({
    file: random.pick(['times', 'record', 'record', 'files', 'site'] as const),
    dealer: random.int(0, DEALERS - 1),
    how: random.pick(['gone', 'torn', 'version', 'former'] as const),
    reach: random.pick(['site', 'folder', 'caches'] as const),
  }));
}

export function nameOf({ file, dealer }: Damage): string {
  if (file === 'times') return TIMES;
  if (file === 'record') return `${dealerId(dealer)}.json`;
  return filesName(file === 'site' ? 'site' : dealerId(dealer));
}

/**
 * Damages a file in a folder of records.
 *
 * @param former the records of the previous deploy. @returns whether there was a file to damage.
 */
export async function inflict(folder: string, damage: Damage, former: Tree): Promise<boolean> {
  const name = nameOf(damage);
  const file = path.join(folder, name);
  if (!existsSync(file)) return false;
  const bytes = await readFile(file);
  const next = damaged(bytes, damage, former.get(name));
  if (next?.equals(bytes)) return false;
  // Earlier releases share the file.
  await rm(file);
  if (next) await writeFile(file, next);
  return true;
}

function damaged(bytes: Buffer, { how }: Damage, former?: string): Buffer | undefined {
  if (how === 'gone') return undefined;
  if (how === 'torn') return bytes.subarray(0, bytes.length / 2);
  if (how === 'former') return former === undefined ? undefined : Buffer.from(former, 'latin1');
  return Buffer.from(bytes.toString('latin1').replace(/"version": ?1/, '"version":99'), 'latin1');
}

/** Whether a damaged file makes the record of a dealer unreadable or untrusted. */
export const strikes = ({ file, dealer }: Damage, place: number): boolean =>
  file === 'times' || (file === 'record' && dealer === place);

/** Whether all records and file lists of a published site are intact. */
export async function checkRecords(files: Tree): Promise<string[]> {
  const bytesOf = (name: string): Buffer | undefined => {
    const latin1 = files.get(RECORDS + name);
    return latin1 === undefined ? undefined : Buffer.from(latin1, 'latin1');
  };
  const read = async (name: string): Promise<FoundFile> => {
    const bytes = bytesOf(name);
    return bytes ? { bytes } : { why: 'there is none', missing: true };
  };
  const times = readTimes(bytesOf(TIMES) ?? Buffer.of())?.times;
  if (!times) return [`${TIMES} cannot be read`];
  const found: string[] = [];
  const listed = new Set<string>();
  const list = (name: string, wanted?: string): void => {
    const bytes = bytesOf(name);
    const fileList = bytes && readFiles(bytes);
    if (!fileList || (wanted !== undefined && bytesHash(bytes) !== wanted)) {
      found.push(`${name} differs from its hash`);
    }
    for (const [file, { hash }] of fileList?.rows ?? []) {
      listed.add(file);
      if (fileHash(Buffer.from(files.get(file) ?? '', 'latin1')) !== hash) {
        found.push(`${file} differs from ${name}`);
      }
    }
  };
  for (const [id, entry] of times) {
    const record = await readRecord({ read }, id);
    if ('why' in record) found.push(`the record of ${id} is unusable: ${record.why}`);
    else if (record.hash !== entry.record) found.push(`the record of ${id} differs from its hash`);
    list(filesName(id), entry.files);
  }
  list(filesName('site'));
  for (const file of files.keys()) {
    if (listed.has(file) || /^(?:media|api\/records)\//.test(file)) continue;
    found.push(`${file} is in no list`);
  }
  return found;
}

/** Damage that is not reported although no other file replaces the record. */
export function unreportedDamage({ dealers, before }: NightFacts, report: BuildReport): string[] {
  return dealers
    .filter(({ slug, unreadable }) => unreadable && before.has(`${slug}/index.html`))
    .filter(({ id }) => !report.dealers.find((one) => one.id === id)?.notes.length)
    .map(({ slug }) => `the published record of ${slug} is damaged without a report`);
}
