import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A text with the line breaks that our files have: git may have made others of them. */
export const withPlainBreaks = (text: string): string => text.replaceAll('\r\n', '\n');

export interface Merge {
  /** `unmerged`: there is no git that would do it. */
  state: 'clean' | 'conflict' | 'unmerged';
  /** The file with what changed in the original; with marks, where both changed the same. */
  text: string;
  /** What that changes in the file, in the form of `diff -u`. */
  diff: string;
}

/** Runs git, which ends with 1 and more where files differ. Rejects where there is no git. */
const git = (cwd: string, args: readonly string[]): Promise<{ code: number; text: string }> =>
  new Promise((resolve, reject) => {
    execFile('git', args, { cwd, maxBuffer: 2 ** 26 }, (error, stdout) => {
      const code = error ? error.code : 0;
      if (typeof code === 'number' && code < 128) resolve({ code, text: stdout });
      else reject(error);
    });
  });

/** Brings into somebody's file what changed between two originals, by git. */
export async function mergeOriginal(mine: string, base: string, now: string): Promise<Merge> {
  const folder = await mkdtemp(path.join(tmpdir(), 'site-upgrade-'));
  const write = (name: string, text: string) =>
    writeFile(path.join(folder, name), withPlainBreaks(text));
  try {
    await write('yours', mine);
    await write('base', base);
    await write('now', now);
    const labels = ['your file', 'the original before', 'the original now'];
    const named = labels.flatMap((label) => ['-L', label]);
    const merge = ['merge-file', '-p', '--diff3', ...named, 'yours', 'base', 'now'];
    const { code, text } = await git(folder, merge);
    await write('merged', text);
    const compare = ['diff', '--no-index', '--no-color', '--no-ext-diff', '--no-textconv'];
    const { text: diff } = await git(folder, [...compare, 'yours', 'merged']);
    return {
      state: code === 0 ? 'clean' : 'conflict',
      text: mine.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text,
      diff: diff.slice(Math.max(diff.indexOf('@@'), 0)).trimEnd(),
    };
  } catch {
    return { state: 'unmerged', text: mine, diff: '' };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
