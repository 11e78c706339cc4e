import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { promisify } from 'node:util';
import { printable } from '../../errors.ts';

/** The git repository that a project lies in. */
export interface Repository {
  /** Name of the remote that a push goes to; undefined where there is none. */
  remote: string | undefined;
  /** Its address, without user name and password. */
  address: string | undefined;
}

/** What a project's first commit is called. */
export const FIRST_COMMIT = 'Our site';

/** An address to be shown: tokens stand in the ones that CI and some tools write. */
const withoutSecrets = (address: string): string =>
  printable(address.replace(/^(\w+:\/\/)[^/@]*@/, '$1'));

const gitIn =
  (root: string) =>
  async (...args: string[]): Promise<string> =>
    (await promisify(execFile)('git', args, { cwd: root, timeout: 30_000 })).stdout.trim();

/** The repository whose top folder a project is; undefined where it is none, or there is no git. */
export async function repositoryOf(root: string): Promise<Repository | undefined> {
  const git = gitIn(root);
  try {
    const top = await git('rev-parse', '--show-toplevel');
    if ((await realpath(top)) !== (await realpath(root))) return undefined;
    const remotes = (await git('remote')).split('\n').filter((name) => name !== '');
    const remote = remotes.includes('origin') ? 'origin' : remotes[0];
    if (remote === undefined) return { remote, address: undefined };
    const address = withoutSecrets(await git('remote', 'get-url', '--push', remote));
    return { remote, address };
  } catch {
    return undefined;
  }
}

/** The files that git would add; all of them if it cannot be asked. */
export async function notIgnored(root: string, files: readonly string[]): Promise<string[]> {
  const ignored = await gitIn(root)('-c', 'core.quotePath=false', 'check-ignore', '--', ...files)
    .then((text) => new Set(text.split('\n')))
    // git ends with 1 if it ignores none.
    .catch(() => new Set());
  return files.filter((file) => !ignored.has(file));
}

/** Makes a repository of a folder that lies in none; says whether it did. */
export async function makeRepository(root: string): Promise<boolean> {
  const git = gitIn(root);
  if (await git('rev-parse', '--git-dir').catch(() => '')) return false;
  return git('-c', 'init.defaultBranch=main', 'init', '--quiet').then(
    () => true,
    // There is no git.
    () => false,
  );
}

/** Commits files of a new repository, where git knows whose commit it is; says whether it did. */
export async function commitFirst(root: string, files: Iterable<string>): Promise<boolean> {
  const git = gitIn(root);
  try {
    // A name that git guesses from the machine is nobody's.
    const whose = await git('-c', 'user.useConfigOnly=true', 'var', 'GIT_COMMITTER_IDENT');
    if (whose.includes('<>')) return false;
    await git('add', '--', ...files);
    await git('commit', '--quiet', '--message', FIRST_COMMIT);
    return true;
  } catch {
    return false;
  }
}
