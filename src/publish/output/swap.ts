import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { GateError } from '../../errors.ts';
import { mediaFolder } from '../../images/stores/folder.ts';
import { entriesOf } from '../../lib/files/entries-of.ts';
import { renamePatiently } from '../../lib/files/write.ts';

/**
 * The working folder next to the output. It is on the same file system, so files can be renamed, and never
 * inside a published folder.
 */
export const workFolder = (output: string): string =>
  path.join(path.dirname(output), `.${path.basename(output)}.work`);

/** The folder in which the new site is built. */
export const stagingFolder = (output: string): string => path.join(workFolder(output), 'next');

const formerFolder = (output: string): string => path.join(workFolder(output), 'former');

/**
 * Checks whether a folder can be moved, by a rename that always fails: no system renames a folder to a folder
 * that is not empty. Systems report any other problem first.
 *
 * @returns the error code of such a problem. Undefined if there is none, and always on Windows, which has the
 *   same code for every cause.
 */
export function whyImmovable(folder: string, work: string): string | undefined {
  if (process.platform === 'win32') return undefined;
  // Always a new folder: if another build emptied a shared one, the rename would succeed.
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

/** Milliseconds that a virus scanner may need for a folder of new files. */
const TIMEOUT = 10_000;

/** Synchronous, because a promise for each of 80,000 names takes eight times the CPU (measured). */
const remove = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });

/** Previous and next sites, and folders that {@link whyImmovable} leaves if it is killed. */
const LEFTOVER = /^(?:next|former|probe-.*)$/;

/**
 * Cleans up after a killed run. If the previous site was moved away but not replaced, it is moved back with its
 * thumbnails. The staging folder is removed.
 */
export async function recover(output: string): Promise<void> {
  const former = formerFolder(output);
  if (!existsSync(output) && existsSync(former)) {
    const formerMedia = mediaFolder(former);
    const stagedMedia = mediaFolder(stagingFolder(output));
    if (!existsSync(formerMedia) && existsSync(stagedMedia))
      renamePatiently(stagedMedia, formerMedia, TIMEOUT);
    renamePatiently(former, output, TIMEOUT);
  }
  for (const { name } of entriesOf(workFolder(output))) {
    if (!LEFTOVER.test(name)) continue;
    // Unlike the synchronous call, this one reports which file cannot be removed, and why.
    const leftover = path.join(workFolder(output), name);
    await rm(leftover, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Removes the staged files of a failed build, which may contain a key. They stay if the previous site needs their thumbnails. */
export function discardStaged(output: string): void {
  if (existsSync(formerFolder(output))) return;
  try {
    remove(stagingFolder(output));
  } catch {
    // The error of the build matters more. The next build removes the leftovers.
  }
}

type Move = readonly [from: string, to: string];

/**
 * Moves staged thumbnails into the published folder, by one rename each. They are either new, so that no
 * published page uses them, or they replace damaged ones.
 */
function addThumbnails(staging: string, output: string, timeout: number): void {
  const from = mediaFolder(staging);
  const to = mediaFolder(output);
  for (const shard of entriesOf(from)) {
    mkdirSync(path.join(to, shard.name), { recursive: true });
    for (const { name } of entriesOf(path.join(from, shard.name))) {
      const below = path.join(shard.name, name);
      renamePatiently(path.join(from, below), path.join(to, below), timeout);
    }
  }
  remove(from);
}

/** Moves folders back in reverse order. @returns the moves that could not be undone. */
function undo(moves: Move[], timeout: number): Move[] {
  const moved = [...moves];
  try {
    for (let last = moved.at(-1); last; last = moved.at(-1)) {
      renamePatiently(last[1], last[0], timeout);
      moved.pop();
    }
  } catch {
    // The caller reports the moves that remain.
  }
  return moved;
}

/**
 * Replaces the published folder with the staged one, by renames. On failure it is unchanged, except for added
 * thumbnails. Between the renames there is no published folder. {@link recover} repairs a kill at that moment.
 *
 * @param mediaStays whether to reuse the published folder of thumbnails: staged thumbnails are added to it, and it
 *   is moved into the new site.
 * @param timeout milliseconds for which a rename is retried.
 * @throws {GateError} it could not be replaced. The message names the folder of the previous site.
 */
export function swap(output: string, mediaStays = false, timeout = TIMEOUT): void {
  const staging = stagingFolder(output);
  const former = formerFolder(output);
  const hadSite = existsSync(output);
  const moves: Move[] = [];
  if (hadSite) moves.push([output, former]);
  if (mediaStays) moves.push([mediaFolder(former), mediaFolder(staging)]);
  moves.push([staging, output]);
  const finishedMoves: Move[] = [];
  try {
    if (mediaStays) addThumbnails(staging, output, timeout);
    for (const move of moves) {
      renamePatiently(...move, timeout);
      finishedMoves.push(move);
    }
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    const remainingMoves = undo(finishedMoves, timeout);
    const places = remainingMoves.map(([, to]) => to).join(' and ');
    throw new GateError({
      code: 'publish-not-replaced',
      what: `The new site could not replace ${output} (${code}).`,
      why: 'Another program has one of its files open, or the system does not allow moving the folder.',
      fix:
        remainingMoves.length === 0
          ? `Close programs that may use it, and run it again. ${hadSite ? 'The published site is unchanged.' : 'Nothing was published.'}`
          : `There is currently no site at ${output}. The previous site is complete in ${places}. Run the build again: it first restores that site.`,
      cause,
    });
  }
  try {
    remove(former);
  } catch {
    // The site is published. The next build removes the leftovers.
  }
}
