/** Reads and edits a project's package.json, and detects its package manager. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PACKAGE_ROOT } from '../lib/own-package.ts';

/** Package managers that a project can be installed with. */
export type PackageManager = 'npm' | 'pnpm' | 'yarn';

const LOCKFILES: readonly (readonly [file: string, manager: PackageManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npm'],
];

/** Lockfiles of all package managers. */
export const LOCKFILE_NAMES = LOCKFILES.map(([file]) => file);

/** Detects the package manager of a project from its lockfile, otherwise from the environment of this command. */
export function packageManagerOf(root: string, env: NodeJS.ProcessEnv): PackageManager {
  const locked = LOCKFILES.find(([file]) => existsSync(path.join(root, file)));
  if (locked) return locked[1];
  // Package managers set it: `pnpm/10.2.0 npm/? node/v24.1.0 linux x64`.
  const [, name] = /^(pnpm|yarn)\//.exec(env.npm_config_user_agent ?? '') ?? [];
  return (name as PackageManager | undefined) ?? 'npm';
}

/** Values of `--ci`. */
export const CI = ['github', 'gitlab', 'none'] as const;

interface Manifest {
  engines?: { node?: string };
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
}

/** The package.json of a folder. Undefined if it cannot be read: the package manager reports that. */
async function readManifest(
  root: string,
): Promise<{ text: string; manifest: Manifest } | undefined> {
  try {
    const text = await readFile(path.join(root, 'package.json'), 'utf8');
    return { text, manifest: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The command of `npm run NAME`. */
const scriptOf = (name: string): string => `vehicle-media-site ${name}`;

/** Prefixes of a user's commands: of a script, and of a command of the history. */
export function scriptLines(manager: PackageManager): { run: string; batches: string } {
  const run = `${manager} run`;
  return { run, batches: `${run} batches${manager === 'npm' ? ' --' : ''}` };
}

/** Commands with their purposes, in two columns. */
export function inColumns(
  commands: readonly (readonly [line: string, purpose: string])[],
  separator: string,
): string[] {
  const width = Math.max(...commands.map(([line]) => line.length));
  return commands.map(([line, purpose]) => `${line.padEnd(width)}${separator}${purpose}`);
}

/** The names that a project's scripts use for another purpose. */
const takenScripts = (scripts: Readonly<Record<string, string>>, names: readonly string[]) =>
  names.filter((name) => !(scripts[name] ?? scriptOf(name)).includes(scriptOf(name)));

/** The properties of a project that its workflow depends on. */
export interface Project {
  /** The package manager that wrote the lockfile. */
  manager: PackageManager;
  /** Whether package.json has `engines.node`. */
  engines: boolean;
  /** Names of scripts that the project uses for another purpose. */
  taken: readonly string[];
}

/** Commands that a workflow runs. */
const COMMANDS = ['build', 'deploy', 'doctor'] as const;

export async function readProject(root: string): Promise<Project> {
  const { engines, scripts = {} } = (await readManifest(root))?.manifest ?? {};
  return {
    manager: packageManagerOf(root, {}),
    engines: engines?.node !== undefined,
    // The development checkout starts the commands differently.
    taken: root === PACKAGE_ROOT ? [] : takenScripts(scripts, COMMANDS),
  };
}

/** Pinned, because jobs with secrets run it. It runs the version that `packageManager` of package.json names. */
const COREPACK = 'npx --yes corepack@0.36.0';

/** A shell line that runs a command of this program in a project. */
export function commandLine(
  { manager, taken }: Project,
  name: (typeof COMMANDS)[number],
  args: string,
): string {
  const end = args === '' ? '' : ` ${args}`;
  if (taken.includes(name)) return `node_modules/.bin/${scriptOf(name)}${end}`;
  if (manager !== 'npm') return `${COREPACK} ${manager} run ${name}${end}`;
  return `npm run ${name}${args === '' ? '' : ` --${end}`}`;
}

/** Shell lines that install a project from its lockfile. */
export function installLines({ manager }: Project): string[] {
  if (manager === 'npm') return ['npm ci'];
  if (manager === 'pnpm') return [`${COREPACK} pnpm install --frozen-lockfile`];
  return [
    "if grep -q '^# yarn lockfile v1' yarn.lock",
    `then ${COREPACK} yarn install --frozen-lockfile`,
    `else ${COREPACK} yarn install --immutable`,
    'fi',
  ];
}

/**
 * Adds a script for each command to a project's package.json, if its name is unused. Nothing else changes, including
 * the indentation.
 *
 * @returns the text, and the names that the project uses for another purpose. Undefined without a package.json.
 */
export async function planScripts(
  root: string,
  names: readonly string[],
): Promise<{ text: string; taken: string[] } | undefined> {
  const manifestFile = await readManifest(root);
  if (!manifestFile) return undefined;
  const { text: former, manifest } = manifestFile;
  const scripts = manifest.scripts ?? {};
  const taken = takenScripts(scripts, names);
  const added = names.filter((name) => scripts[name] === undefined);
  if (added.length === 0) return { text: former, taken };
  manifest.scripts = {
    ...scripts,
    ...Object.fromEntries(added.map((name) => [name, scriptOf(name)])),
  };
  const [, indent = '  '] = /^\{\r?\n([ \t]+)/.exec(former) ?? [];
  const end = /\r?\n$/.exec(former)?.[0] ?? '';
  const text = JSON.stringify(manifest, null, indent) + end;
  return { text: former.includes('\r\n') ? text.replace(/\r?\n/g, '\r\n') : text, taken };
}

/** Folder in a project for the tarball of the program that `npm run new` adds: `vehicle-media-site-0.1.0-HASH.tgz`. */
export const VENDOR = 'vendor';

/** Whether a file in `vendor/` is a version of the program. */
export const isTarball = (name: string): boolean => /^vehicle-media-site-[\w.-]+\.tgz$/.test(name);

/** The specifier of a tarball in package.json. */
export const specOf = (tarball: string): string => `file:${VENDOR}/${tarball}`;

/** Name of the tarball that a project depends on. Undefined if the project does not depend on a tarball. */
export async function tarballOf(root: string): Promise<string | undefined> {
  const { manifest } = (await readManifest(root)) ?? {};
  const spec = String(manifest?.dependencies?.['vehicle-media-site']);
  const name = spec.slice(specOf('').length);
  return spec === specOf(name) && isTarball(name) ? name : undefined;
}
