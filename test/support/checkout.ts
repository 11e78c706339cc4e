import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { follow, type Ran } from './command.ts';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');

/** The PATH of a shell without this checkout's packages. */
export const BARE_PATH = (process.env.PATH ?? '')
  .split(path.delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(path.delimiter);

/** Access of this machine to a package registry: proxies, certificates, npm's cache. Settings of git for tests. */
const INHERITED = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|(?:https?|no)_proxy|npm_config_(?:cache|registry)|GIT_CONFIG_\w+)$/i.test(
      name,
    ),
  ),
);

async function listed(...options: string[]): Promise<string[]> {
  const { stdout } = await run('git', ['ls-files', '-z', ...options], { cwd: ROOT });
  return stdout.split('\0').filter((file) => file !== '');
}

/** Packages that `npm ci` installed, without caches, because other tests write to these at the same time. */
async function installedPackages(): Promise<string[]> {
  const entries = await readdir(path.join(ROOT, 'node_modules'));
  return entries
    .filter((name) => !name.startsWith('.') || name === '.bin' || name === '.package-lock.json')
    .map((name) => path.join('node_modules', name));
}

/** Installed packages that the program needs, a tenth of the bytes of all, and the packages with a Node. */
export async function programPackages(): Promise<{ program: string[]; node: string[] }> {
  const { packages } = JSON.parse(await readFile(path.join(ROOT, 'package-lock.json'), 'utf8'));
  const installed = Object.entries<{ dev?: boolean }>(packages).flatMap(([place, { dev }]) =>
    !dev &&
    /^node_modules\/(?!.*\/node_modules\/)/.test(place) &&
    existsSync(path.join(ROOT, place))
      ? [place]
      : [],
  );
  const isNode = (place: string) => path.basename(place) in packages[''].optionalDependencies;
  return { program: installed.filter((one) => !isNode(one)), node: installed.filter(isNode) };
}

/**
 * A fresh clone of this repository in an empty folder, including uncommitted changes. `packages: 'linked'` avoids an
 * installation. `'to run'` has only the packages of the program, which is faster if they cannot be linked.
 */
export async function freshClone(
  folder: string,
  packages: 'none' | 'linked' | 'to run',
): Promise<void> {
  await run('git', ['clone', '--quiet', ROOT, folder]);
  for (const file of await listed('--deleted')) await rm(path.join(folder, file), { force: true });
  for (const file of await listed('--modified', '--others', '--exclude-standard')) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    // A removed file is listed as modified too.
    await cp(path.join(ROOT, file), path.join(folder, file)).catch(() => {});
  }
  // A clone is clean.
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@cars.test'];
  await run('git', ['add', '--all'], { cwd: folder });
  await run('git', [...author, 'commit', '--quiet', '--allow-empty', '--message', 'As it is'], {
    cwd: folder,
  });
  if (packages === 'none') return;
  const names =
    packages === 'linked' ? await installedPackages() : (await programPackages()).program;
  const copy = (how: string) => run('cp', [how, '--parents', ...names, folder], { cwd: ROOT });
  // Links of the files, not of the folder: the decoder may only read its own checkout.
  await copy('-al').catch(async () => {
    await rm(path.join(folder, 'node_modules'), { recursive: true, force: true });
    await copy('-a');
  });
}

export interface ShellOptions {
  cwd: string;
  env?: Record<string, string>;
  /** Folders at the start of the PATH. */
  path?: readonly string[];
  input?: string;
}

/** Runs a line like CI: in bash that stops at the first failure, with a separate environment. */
export function shell(
  line: string,
  { cwd, env = {}, path: first = [], input }: ShellOptions,
): Promise<Ran> {
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', line], {
    cwd,
    env: {
      HOME: process.env.HOME ?? '/',
      ...INHERITED,
      ...env,
      PATH: [...first, BARE_PATH].join(path.delimiter),
    },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(input);
  return follow(child).ended;
}

/** Like {@link shell}. @returns its standard output without spaces at the ends. @throws its output if it fails. */
export async function shellText(line: string, options: ShellOptions): Promise<string> {
  const { exitCode, stdout, stderr } = await shell(line, options);
  if (exitCode !== 0) throw new Error(`${line}\n${stdout}\n${stderr}`);
  return stdout.trim();
}
