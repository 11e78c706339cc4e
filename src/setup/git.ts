import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs git in a folder. @returns its output. */
export const gitIn =
  (folder: string) =>
  async (...args: string[]): Promise<string> =>
    (await promisify(execFile)('git', args, { cwd: folder, timeout: 30_000 })).stdout.trim();
