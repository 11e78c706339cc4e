import { execFile } from 'node:child_process';
import { stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { bytesText } from '../../lib/terminal/progress.ts';
import { type Finding, finding } from '../findings.ts';

/** Whether git would take a file along. False where there is no git, or no repository. */
async function isTracked(file: string): Promise<boolean> {
  const run = promisify(execFile);
  const options = { cwd: path.dirname(file) };
  try {
    await run('git', ['check-ignore', '--quiet', file], options);
    return false;
  } catch (error) {
    // 1: not ignored. Everything else: no git, or no repository.
    return (error as { code?: unknown }).code === 1;
  }
}

/** Whether the file with the keys is for its owner alone, and unknown to git. */
export async function checkEnvFile(file: string): Promise<Finding[]> {
  const found = await stat(file).catch(() => undefined);
  if (!found) return [];
  const findings: Finding[] = [];
  const mode = found.mode & 0o777;
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    const shown = `0${mode.toString(8)}`;
    const what = `.env can be read by others on this machine (mode ${shown}).`;
    findings.push(finding('env-open', { mode: shown }, what));
  }
  if (await isTracked(file)) findings.push(finding('env-tracked', {}, 'git does not ignore .env.'));
  return findings;
}

/** Room that a build needs beside the site itself. */
const SPARE = 500_000_000;

/**
 * Whether a site fits on the disk: its thumbnails in the cache, and copies of them where the
 * published folder cannot share them.
 */
export async function checkDisk(folder: string, siteBytes: number): Promise<Finding[]> {
  let existing = path.resolve(folder);
  for (;;) {
    const found = await statfs(existing).catch(() => undefined);
    if (found) {
      const free = found.bavail * found.bsize;
      const needed = siteBytes * 2 + SPARE;
      const what = `${bytesText(free)} are free on this disk; a build may need ${bytesText(needed)}.`;
      return free < needed ? [finding('disk-low', { free, needed }, what)] : [];
    }
    const parent = path.dirname(existing);
    if (parent === existing) return [];
    existing = parent;
  }
}
