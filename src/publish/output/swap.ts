import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { GateError } from '../../errors.ts';
import { entriesOf } from '../../lib/files/entries-of.ts';

/**
 * The working folder beside the output: on the same file system, so that renaming is enough, and
 * never inside what is published.
 */
export function workFolder(output: string): string {
  return path.join(path.dirname(output), `.${path.basename(output)}.work`);
}

/** Where the new site is built. */
export const stagingFolder = (output: string): string => path.join(workFolder(output), 'next');

const formerFolder = (output: string): string => path.join(workFolder(output), 'former');

/** The folder of a site's thumbnails. */
export const mediaFolder = (site: string): string => path.join(site, 'media');

/**
 * Tries a rename that cannot succeed: no system renames a folder to the name of one with
 * something in it. Any other obstacle is reported before that one.
 *
 * @returns the system's error code of such an obstacle. Undefined if there is none, and always on
 *   Windows, which gives the same code for every cause.
 */
export function whyImmovable(folder: string, work: string): string | undefined {
  if (process.platform === 'win32') return undefined;
  // A new folder for each try: if another build emptied it, the rename would succeed.
  const probe = mkdtempSync(path.join(work, 'probe-'));
  writeFileSync(path.join(probe, 'occupied'), '');
  let code: string | undefined;
  try {
    renameSync(folder, probe);
  } catch (error) {
    code = (error as NodeJS.ErrnoException).code;
  }
  rmSync(path.join(probe, 'occupied'));
  rmdirSync(probe);
  return code === 'ENOTEMPTY' || code === 'EEXIST' ? undefined : code;
}

/** Error codes of a file that another program has open: on Windows, scanners open new files. */
const RETRYABLE = new Set(['EPERM', 'EBUSY', 'EACCES']);

/** Renames, and retries for up to `timeout` milliseconds after errors that may pass. */
async function renameWithRetries(from: string, to: string, timeout: number): Promise<void> {
  const end = performance.now() + timeout;
  for (let pause = 10; ; pause = Math.min(pause * 2, 500)) {
    try {
      // Synchronous, so that no other code of this process runs between two renames.
      return renameSync(from, to);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (!RETRYABLE.has(code) || performance.now() + pause > end) throw error;
    }
    await setTimeout(pause);
  }
}

/** Milliseconds that a virus scanner may need for a folder of new files. */
const TIMEOUT = 10_000;

/** Synchronous: of 80,000 names, each in a promise of its own takes eight times the CPU (measured). */
const remove = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });

/** Former and next sites, and what {@link whyImmovable} leaves when it is killed. */
const LEFTOVER = /^(?:next|former|probe-.*)$/;

/**
 * Repairs what a killed run may have left: a former site that was moved aside is moved back if no
 * new one took its place, with its thumbnails. The staging folder is removed.
 */
export async function recover(output: string): Promise<void> {
  const former = formerFolder(output);
  if (!existsSync(output) && existsSync(former)) {
    const [own, moved] = [mediaFolder(former), mediaFolder(stagingFolder(output))];
    if (!existsSync(own) && existsSync(moved)) await renameWithRetries(moved, own, TIMEOUT);
    await renameWithRetries(former, output, TIMEOUT);
  }
  for (const { name } of entriesOf(workFolder(output))) {
    if (LEFTOVER.test(name)) remove(path.join(workFolder(output), name));
  }
}

type Move = readonly [from: string, to: string];

/**
 * Moves staged thumbnails among the published ones, each by one rename. No published page refers to the
 * new ones. The others replace one with wrong bytes.
 */
async function addThumbnails(staging: string, output: string, timeout: number): Promise<void> {
  const [from, to] = [mediaFolder(staging), mediaFolder(output)];
  for (const shard of entriesOf(from)) {
    mkdirSync(path.join(to, shard.name), { recursive: true });
    for (const { name } of entriesOf(path.join(from, shard.name))) {
      const below = path.join(shard.name, name);
      await renameWithRetries(path.join(from, below), path.join(to, below), timeout);
    }
  }
  remove(from);
}

/** Moves folders back, the last first. @returns the moves that could not be undone. */
async function undo(moves: Move[], timeout: number): Promise<Move[]> {
  const moved = [...moves];
  try {
    for (let last = moved.at(-1); last; last = moved.at(-1)) {
      await renameWithRetries(last[1], last[0], timeout);
      moved.pop();
    }
  } catch {
    // The caller reports the moves that remain.
  }
  return moved;
}

export interface SwapOptions {
  /**
   * Whether the published folder of thumbnails is reused: staged ones are added to it first, and it becomes
   * that of the new site.
   */
  mediaStays?: boolean;
  /** Milliseconds for which a rename that fails with a passing error is retried. */
  timeout?: number;
}

/**
 * Replaces the published folder by the staged one, by renames. On failure it stays as it is, except for
 * thumbnails that were added. Between the renames there is no published folder; {@link recover} repairs
 * a kill there.
 *
 * @throws {GateError} it could not be replaced. The message says where the former site is.
 */
export async function swap(
  output: string,
  { mediaStays = false, timeout = TIMEOUT }: SwapOptions = {},
): Promise<void> {
  const staging = stagingFolder(output);
  const former = formerFolder(output);
  const wasThere = existsSync(output);
  const moves: Move[] = [];
  if (wasThere) moves.push([output, former]);
  if (mediaStays) moves.push([mediaFolder(former), mediaFolder(staging)]);
  moves.push([staging, output]);
  const done: Move[] = [];
  try {
    if (mediaStays) await addThumbnails(staging, output, timeout);
    for (const move of moves) {
      await renameWithRetries(...move, timeout);
      done.push(move);
    }
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    const away = await undo(done, timeout);
    const places = away.map(([, to]) => to).join(' and ');
    throw new GateError({
      code: 'publish-not-replaced',
      what: `The new site could not be put in the place of ${output} (${code}).`,
      why: 'Another program has a file of it open, or the system does not let the folder be moved.',
      fix:
        away.length === 0
          ? `Close programs that may use it, and run it again. ${wasThere ? 'The published site is unchanged.' : 'Nothing was published.'}`
          : `There is currently no site at ${output}. The previous site is complete in ${places}. Run the build again: it first restores that site.`,
      cause,
    });
  }
  try {
    remove(former);
  } catch {
    // The site is published; leftovers take space until the next build.
  }
}
