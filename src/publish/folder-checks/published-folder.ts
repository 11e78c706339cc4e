import { rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../../errors.ts';
import { lockFolder, outputNamed } from '../../lib/files/folder-lock.ts';
import { reasonOf } from '../../lib/files/system-errors.ts';
import { makeFolder } from '../../lib/files/write.ts';
import { workFolder } from '../output/swap.ts';

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** Locks a published folder for one build, see {@link lockFolder}. */
export function lockOutput(output: string): Disposable {
  return lockFolder(workFolder(output), outputNamed(output));
}

/**
 * Checks that a report can be written, by trying: permissions do not decide it on every file system.
 *
 * @param leaveFolder whether a missing folder is created for good.
 * @throws {ConfigError} it cannot be written.
 */
export function checkReportFile(file: string, { leaveFolder = true } = {}): void {
  const probe = `${file}.${process.pid}.tmp`;
  try {
    const made = makeFolder(path.dirname(path.resolve(file)));
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw failure('EISDIR');
    if (found && !found.isFile()) throw failure('EEXIST');
    writeFileSync(probe, '', { flag: 'wx' });
    rmSync(probe);
    if (!leaveFolder) for (const folder of made.reverse()) rmdirSync(folder);
  } catch (cause) {
    throw new ConfigError({
      code: 'report-unusable',
      what: `The report ${file} cannot be written.`,
      why: reasonOf(cause),
      fix: 'Name another file with --report. The published site is as it was.',
      cause,
    });
  }
}
