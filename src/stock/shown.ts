import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../files.ts';
import type { Withdrawn } from './snapshot.ts';

const shownSchema = z.strictObject({ version: z.literal(1), vrms: z.array(z.string()) });

const fileOf = (folder: string, dealerId: number): string =>
  path.join(folder, `dealer-${dealerId}.shown`);

const checksum = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * The vehicles of a dealer whose withdrawn page was published. A file that is missing or torn says
 * "none": pages are then kept a little longer, never a little shorter.
 */
export async function readShown(folder: string, dealerId: number): Promise<ReadonlySet<string>> {
  const text = await readFile(fileOf(folder, dealerId), 'utf8').catch(() => '');
  const body = text.slice(65);
  if (text.slice(0, 64) !== checksum(body) || body === '') return new Set();
  const parsed = shownSchema.safeParse(JSON.parse(body));
  return new Set(parsed.success ? parsed.data.vrms : []);
}

/**
 * Notes, once a site is published, which of its pages say that a vehicle is gone.
 *
 * @param over vehicles whose page did so for long enough, as long as anybody asks for them.
 */
export async function writeShown(
  folder: string,
  dealerId: number,
  withdrawn: readonly Withdrawn[],
  over: readonly string[] = [],
): Promise<void> {
  const vrms = [...withdrawn.map(({ vrm }) => vrm), ...over].sort();
  const former = await readShown(folder, dealerId);
  if (former.size === vrms.length && vrms.every((vrm) => former.has(vrm))) return;
  const body = JSON.stringify({ version: 1, vrms });
  await mkdir(folder, { recursive: true });
  await writeFileAtomic(fileOf(folder, dealerId), `${checksum(body)}\n${body}`);
}
