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

/** An address to be shown: tokens stand in the ones that CI and some tools write. */
const withoutSecrets = (address: string): string =>
  printable(address.replace(/^(\w+:\/\/)[^/@]*@/, '$1'));

/** The repository whose top folder a project is; undefined where it is none, or there is no git. */
export async function repositoryOf(root: string): Promise<Repository | undefined> {
  const git = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)('git', args, { cwd: root })).stdout.trim();
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
