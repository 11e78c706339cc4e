import { existsSync } from 'node:fs';
import path from 'node:path';

/** Package managers that a project can be installed with. */
export type PackageManager = 'npm' | 'pnpm' | 'yarn';

const LOCKFILES: readonly (readonly [file: string, manager: PackageManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npm'],
];

/** What the lockfiles of all package managers are called. */
export const LOCKFILE_NAMES = LOCKFILES.map(([file]) => file);

/** The package manager of a project: that of its lockfile, else the one that runs this command. */
export function packageManagerOf(root: string, env: NodeJS.ProcessEnv): PackageManager {
  const locked = LOCKFILES.find(([file]) => existsSync(path.join(root, file)));
  if (locked) return locked[1];
  // Set by each of them: `pnpm/10.2.0 npm/? node/v24.1.0 linux x64`.
  const [, name] = /^(pnpm|yarn)\//.exec(env.npm_config_user_agent ?? '') ?? [];
  return (name as PackageManager | undefined) ?? 'npm';
}
