import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { promisify } from 'node:util';
import { printable } from '../../errors.ts';

/** The git repository of a project. */
export interface Repository {
  /** The URL that a push goes to, without user name and password. Undefined without a remote. */
  address: string | undefined;
}

/** Message of a project's first commit. */
export const FIRST_COMMIT = 'Our site';

/** A URL to be shown: CI and some tools write tokens into it. */
const withoutSecrets = (address: string): string =>
  printable(address.replace(/^(\w+:\/\/)[^/@]*@/, '$1'));

const gitIn =
  (root: string) =>
  async (...args: string[]): Promise<string> =>
    (await promisify(execFile)('git', args, { cwd: root, timeout: 30_000 })).stdout.trim();

/** The repository whose top folder a project is. Undefined if there is none, or no git. */
export async function repositoryOf(root: string): Promise<Repository | undefined> {
  const git = gitIn(root);
  try {
    const top = await git('rev-parse', '--show-toplevel');
    if ((await realpath(top)) !== (await realpath(root))) return undefined;
    const remotes = (await git('remote')).split('\n');
    const remote = remotes.includes('origin') ? 'origin' : remotes[0];
    if (!remote) return { address: undefined };
    return { address: withoutSecrets(await git('remote', 'get-url', '--push', remote)) };
  } catch {
    return undefined;
  }
}

/** The files that git would add. All of them if it cannot be asked. */
export async function notIgnored(root: string, files: readonly string[]): Promise<string[]> {
  const ignored = await gitIn(root)('-c', 'core.quotePath=false', 'check-ignore', '--', ...files)
    .then((text) => new Set(text.split('\n')))
    // git ends with 1 if it ignores none.
    .catch(() => new Set());
  return files.filter((file) => !ignored.has(file));
}

/** Makes a repository of a folder that is in none; returns whether it did. */
export async function makeRepository(root: string): Promise<boolean> {
  const git = gitIn(root);
  if (await git('rev-parse', '--git-dir').catch(() => '')) return false;
  return git('-c', 'init.defaultBranch=main', 'init', '--quiet').then(
    () => true,
    // There is no git.
    () => false,
  );
}

/** Commits files of a new repository if git knows the author; returns whether it did. */
export async function commitFirst(root: string, files: Iterable<string>): Promise<boolean> {
  const git = gitIn(root);
  try {
    // A name that git guesses from the machine is not the user's.
    const author = await git('-c', 'user.useConfigOnly=true', 'var', 'GIT_COMMITTER_IDENT');
    if (author.includes('<>')) return false;
    await git('add', '--', ...files);
    await git('commit', '--quiet', '--message', FIRST_COMMIT);
    return true;
  } catch {
    return false;
  }
}
