import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { GateError } from '../errors.ts';
import { entriesOf } from '../media/store/entries-of.ts';

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
 * new one took its place. What was put together for the next one goes.
 */
export async function recover(output: string): Promise<void> {
  const former = formerFolder(output);
  if (!existsSync(output) && existsSync(former)) {
    await renamePatiently(former, output, PATIENCE);
  }
  for (const { name } of entriesOf(workFolder(output))) {
    if (LEFTOVER.test(name)) remove(path.join(workFolder(output), name));
  }
}

/**
 * Replaces the published folder by the staged one, by two renames, or leaves it as it is. Between the
 * two there is no published folder; {@link recover} undoes a kill there.
 *
 * @param patience milliseconds that a rename may be refused for by something that passes.
 * @throws {GateError} it could not be replaced; the message says where the former site is.
 */
export async function swap(output: string, patience = PATIENCE): Promise<void> {
  const staging = stagingFolder(output);
  const former = formerFolder(output);
  const wasThere = existsSync(output);
  try {
    if (wasThere) await renamePatiently(output, former, patience);
    await renamePatiently(staging, output, patience);
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    const isBack =
      existsSync(output) ||
      !wasThere ||
      (await renamePatiently(former, output, patience).then(
        () => true,
        () => false,
      ));
    throw new GateError({
      code: 'publish-not-replaced',
      what: `The new site could not be put in the place of ${output} (${code}).`,
      why: 'Another program has a file of it open, or the system does not let the folder be moved.',
      fix: isBack
        ? `Close what may use it, and run it again. ${wasThere ? 'The published site is as it was.' : 'Nothing was published.'}`
        : `There is no site at ${output} now. The former one is whole, in ${former}: move it back, or run the build again, which does so first.`,
      cause,
    });
  }
  try {
    remove(former);
  } catch {
    // Published; what is left there costs space until the next build.
  }
}
