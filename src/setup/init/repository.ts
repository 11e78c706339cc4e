import { printable } from '../../errors.ts';
import { gitIn } from '../git.ts';

/** Message of a project's first commit. */
export const FIRST_COMMIT = 'Our site';

/** Removes user name and password from a URL before it is shown: CI and some tools write tokens into it. */
const withoutSecrets = (address: string): string =>
  printable(address.replace(/^(\w+:\/\/)[^/@]*@/, '$1'));

/**
 * The repository of a project, if the project is its top folder. Undefined without such a repository or git.
 *
 * @returns its URL for pushes, without user name and password. Undefined without a remote.
 */
export async function repositoryOf(root: string) {
  const git = gitIn(root);
  try {
    if ((await git('rev-parse', '--show-prefix')) !== '') return undefined;
    const remotes = (await git('remote')).split('\n');
    const remote = remotes.includes('origin') ? 'origin' : remotes[0];
    if (!remote) return { address: undefined };
    return { address: withoutSecrets(await git('remote', 'get-url', '--push', remote)) };
  } catch {
    return undefined;
  }
}

/** The files that a commit would add or change. All files if git cannot be run. */
export async function uncommitted(root: string, files: readonly string[]): Promise<string[]> {
  const options = ['--porcelain', '--untracked-files=all'];
  const lines = await gitIn(root)('-c', 'core.quotePath=false', 'status', ...options).then(
    (status) => status.split('\n'),
    () => undefined,
  );
  return files.filter((file) => !lines || lines.some((line) => line.endsWith(` ${file}`)));
}

/** Creates a repository in a folder outside any repository. @returns whether it was created. */
export async function makeRepository(root: string): Promise<boolean> {
  const git = gitIn(root);
  if (await git('rev-parse', '--git-dir').catch(() => '')) return false;
  return git('-c', 'init.defaultBranch=main', 'init', '--quiet').then(
    () => true,
    // git is not installed.
    () => false,
  );
}

/** Commits the files of a new repository if git knows the author. */
export async function commitFirst(root: string, files: Iterable<string>): Promise<void> {
  const git = gitIn(root);
  try {
    // Does not accept a name that git guesses from the machine.
    const author = await git('-c', 'user.useConfigOnly=true', 'var', 'GIT_COMMITTER_IDENT');
    if (author.includes('<>')) return;
    await git('add', '--', ...files);
    await git('commit', '--quiet', '--message', FIRST_COMMIT);
  } catch {
    // The next steps then have the commands.
  }
}
