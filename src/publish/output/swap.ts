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
 * Tries to move a folder in a way that cannot succeed: no system gives a folder the name of one with
 * something in it. Whatever else stands against it is told first.
 *
 * @returns the system's code for what stands against it; undefined where nothing does, and always on
 *   Windows, which answers in the same way to everything.
 */
export function whyImmovable(folder: string, work: string): string | undefined {
  if (process.platform === 'win32') return undefined;
  // A name of its own: emptied by another build it would take the folder.
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

/** Codes of a file that somebody else has open: on Windows whatever looks at fresh files. */
const PASSING = new Set(['EPERM', 'EBUSY', 'EACCES']);

/** Renames, and tries again for as long as `patience` milliseconds where that may pass. */
async function renamePatiently(from: string, to: string, patience: number): Promise<void> {
  const end = performance.now() + patience;
  for (let pause = 10; ; pause = Math.min(pause * 2, 500)) {
    try {
      // Synchronous: between two of them nothing else has its turn.
      return renameSync(from, to);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (!PASSING.has(code) || performance.now() + pause > end) throw error;
    }
    await setTimeout(pause);
  }
}

/** As long as a scanner may look at a folder of fresh files. */
const PATIENCE = 10_000;

/** Synchronous: of 80,000 names, each in a promise of its own takes eight times the CPU (measured). */
const remove = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });

/** Sites of before and after, and what earlier versions wrote down of them. */
const LEFTOVER = /^(?:next|former|(?:next|published|incoming)\.manifest|.*\.tmp)$/;

/**
 * Puts right what a killed run may have left: a former site that was moved aside comes back if no
 * new one took its place, with its thumbnails. What was put together for the next one goes.
 */
export async function recover(output: string): Promise<void> {
  const former = formerFolder(output);
  if (!existsSync(output) && existsSync(former)) {
    const [own, moved] = [mediaFolder(former), mediaFolder(stagingFolder(output))];
    if (!existsSync(own) && existsSync(moved)) await renamePatiently(moved, own, PATIENCE);
    await renamePatiently(former, output, PATIENCE);
  }
  for (const { name } of entriesOf(workFolder(output))) {
    if (LEFTOVER.test(name)) remove(path.join(workFolder(output), name));
  }
}

type Move = readonly [from: string, to: string];

/**
 * Moves staged thumbnails among the published ones, each whole. Of those that are new no published page
 * knows; the others take the place of one that is not as it was made.
 */
async function addThumbnails(staging: string, output: string, patience: number): Promise<void> {
  const [from, to] = [mediaFolder(staging), mediaFolder(output)];
  for (const shard of entriesOf(from)) {
    mkdirSync(path.join(to, shard.name), { recursive: true });
    for (const { name } of entriesOf(path.join(from, shard.name))) {
      const below = path.join(shard.name, name);
      await renamePatiently(path.join(from, below), path.join(to, below), patience);
    }
  }
  remove(from);
}

/** Moves folders back, the last first. @returns those that could not be, and so stay moved. */
async function undo(moves: Move[], patience: number): Promise<Move[]> {
  const moved = [...moves];
  try {
    for (let last = moved.at(-1); last; last = moved.at(-1)) {
      await renamePatiently(last[1], last[0], patience);
      moved.pop();
    }
  } catch {
    // Told by whoever asked.
  }
  return moved;
}

export interface SwapOptions {
  /**
   * Whether the folder of thumbnails stays: those that are staged are added to it first, and it becomes
   * that of the new site.
   */
  mediaStays?: boolean;
  /** Milliseconds that a rename may be refused for by something that passes. */
  patience?: number;
}

/**
 * Replaces the published folder by the staged one, by renames, or leaves it as it is, but for
 * thumbnails that were added. Between the renames there is no published folder; {@link recover} undoes
 * a kill there.
 *
 * @throws {GateError} it could not be replaced; the message says where the former site is.
 */
export async function swap(
  output: string,
  { mediaStays = false, patience = PATIENCE }: SwapOptions = {},
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
    if (mediaStays) await addThumbnails(staging, output, patience);
    for (const move of moves) {
      await renamePatiently(...move, patience);
      done.push(move);
    }
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    const away = await undo(done, patience);
    const places = away.map(([, to]) => to).join(' and ');
    throw new GateError({
      code: 'publish-not-replaced',
      what: `The new site could not be put in the place of ${output} (${code}).`,
      why: 'Another program has a file of it open, or the system does not let the folder be moved.',
      fix:
        away.length === 0
          ? `Close what may use it, and run it again. ${wasThere ? 'The published site is as it was.' : 'Nothing was published.'}`
          : `There is no site at ${output} now. The former one is whole, in ${places}: run the build again, which first puts it back.`,
      cause,
    });
  }
  try {
    remove(former);
  } catch {
    // Published; what is left there costs space until the next build.
  }
}
