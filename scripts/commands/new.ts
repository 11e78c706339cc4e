import { exec } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { install, nextCommands, runInstalled } from '../../create/install.js';
import { filesInUse, filesOf, type Manager, managerOf } from '../../create/project.js';
import { INIT_OPTIONS } from '../../src/cli/options.ts';
import { keyFromEnvironment } from '../../src/config/environment.ts';
import { ConfigError } from '../../src/errors.ts';
import type { Args, Io, Run } from '../../src/lib/command-line/definition.ts';
import { resolveLinks } from '../../src/lib/files/paths.ts';
import { reasonOf } from '../../src/lib/files/system-errors.ts';
import { temporaryFolder } from '../../src/lib/files/temporary-folder.ts';
import { makeFolder, writeFileAtomic } from '../../src/lib/files/write.ts';
import { PACKAGE_ROOT } from '../../src/lib/own-package.ts';
import { answersFromFlags, type Flags } from '../../src/setup/init/answers.ts';
import { CONFIG_FILE } from '../../src/setup/init/config-file.ts';
import { keysFor } from '../../src/setup/init/keys.ts';
import { checkPlace } from '../../src/setup/init/write.ts';
import {
  isTarball,
  LOCKFILE_NAMES,
  packageManagerOf,
  specOf,
  tarballOf,
  VENDOR,
} from '../../src/setup/project.ts';
import type { NEW_OPTIONS } from './options.ts';
import { run as makePackage } from './package.ts';

type NewArgs = Args<typeof NEW_OPTIONS>;

/** By the shell, because package managers are scripts on Windows. */
const execute = promisify(exec);

const FOLDER_ADVICE = 'Name a new folder outside the clone: npm run new -- ../my-site';

const refused = (what: string, why: string, fix = FOLDER_ADVICE): ConfigError =>
  new ConfigError({ code: 'new-folder', what: `Nothing was changed: ${what}`, why, fix });

interface Manifest {
  name?: string;
  engines: { node: string };
  optionalDependencies: Record<string, string>;
}

const manifestOf = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));

/** @throws {ConfigError} the folder is a clone of this program, or is inside one. */
async function checkOutside(folder: string): Promise<void> {
  const { name } = await manifestOf(PACKAGE_ROOT);
  let above = resolveLinks(folder);
  for (;;) {
    const manifest = await manifestOf(above).catch(() => undefined);
    if (manifest?.name === name) {
      throw refused(
        `${folder} is in a clone of this program.`,
        'A project has a separate git repository, and updates of the clone must not touch it.',
      );
    }
    if (above === path.dirname(above)) return;
    above = path.dirname(above);
  }
}

/**
 * @returns name of the tarball that the project in a folder uses. Undefined for a new project.
 * @throws {ConfigError} the folder cannot be used, or has other content.
 */
async function formerTarball(folder: string): Promise<string | undefined> {
  await checkOutside(folder);
  let names: string[];
  try {
    names = await readdir(folder);
    await access(folder, constants.W_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw refused(`${folder} cannot be used.`, reasonOf(error));
  }
  const former = await tarballOf(folder);
  const others = filesInUse(names);
  if (former !== undefined || others.length === 0) return former;
  const examples = others.length > 3 ? [...others.slice(0, 3), '…'] : others;
  throw refused(
    `${folder} is not empty: ${examples.join(', ')}.`,
    `It is not a project of this command: its package.json has no vehicle-media-site in ${VENDOR}/.`,
  );
}

/** Checks the options before anything is written. @throws {ConfigError} */
function checkOptions({ values, given }: NewArgs, folder: string, isSetUp: boolean, io: Io): void {
  const initOptions = [...given].filter(
    (name) => Object.hasOwn(INIT_OPTIONS, name) && name !== 'quiet',
  );
  if (isSetUp) {
    if (initOptions.length === 0) return;
    throw new ConfigError({
      code: 'new-options',
      what: `Nothing was changed: ${folder} is set up already, so --${initOptions[0]} has no effect.`,
      why: 'In an existing project, this command updates the program and no settings.',
      fix: `Leave out the options of init. To change settings, run "npm run init" in ${folder}.`,
    });
  }
  const names = initOptions.filter((name) => name !== 'force');
  if (names.length === 0 && io.stdin.isTTY === true) return;
  const flags = Object.fromEntries(names.map((name) => [name, values[name as keyof Flags]]));
  const answers = answersFromFlags(flags);
  if (!values['key-stdin']) keysFor(answers, (name) => keyFromEnvironment(name, io.env));
}

/** The package manager of the project. @throws {ConfigError} its lockfile belongs to another package manager. */
async function managerFor({ values }: NewArgs, folder: string, { env }: Io): Promise<Manager> {
  const requested = values['package-manager'];
  const name = LOCKFILE_NAMES.some((file) => existsSync(path.join(folder, file)))
    ? packageManagerOf(folder, env)
    : (requested ?? packageManagerOf(folder, env));
  if (requested !== undefined && requested !== name) {
    throw new ConfigError({
      code: 'new-options',
      what: `Nothing was changed: ${folder} is installed with ${name}.`,
      why: `It has the lockfile of ${name}, and two lockfiles would contradict each other.`,
      fix: `Leave out --package-manager, or delete that lockfile to change to ${requested}.`,
    });
  }
  const running = managerOf(env.npm_config_user_agent);
  if (name === 'npm' || name === running.name)
    return name === 'npm' ? { name, version: '' } : running;
  try {
    const { stdout } = await execute(`${name} --version`, { env });
    return { name, version: stdout.trim() };
  } catch (cause) {
    throw new ConfigError({
      code: 'new-options',
      what: `Nothing was changed: ${name} could not be started.`,
      why: (cause as { stderr: string }).stderr.trim(),
      fix: `Install ${name}, or choose another with --package-manager.`,
      cause,
    });
  }
}

/** The environment without the programs of this clone, so that a project does not use its Node. */
function withoutOwnPrograms(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const packages = path.join(PACKAGE_ROOT, 'node_modules') + path.sep;
  const folders = (env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => !folder.startsWith(packages));
  return { ...env, PATH: folders.join(path.delimiter) };
}

/** Packages with a Node for the project. Undefined if the Node of this machine is new enough. */
async function nodeFor(env: NodeJS.ProcessEnv): Promise<Record<string, string> | undefined> {
  const { engines, optionalDependencies } = await manifestOf(PACKAGE_ROOT);
  const major = (text: string) => Number(/\d+/.exec(text)?.[0] ?? 0);
  const { stdout } = await execute('node --version', { env }).catch(() => ({ stdout: '' }));
  return major(stdout) < major(engines.node) ? optionalDependencies : undefined;
}

/** This clone as a package. Its name contains a hash of its bytes, so a lockfile fits only one version. */
async function pack(io: Io): Promise<{ name: string; bytes: Buffer }> {
  await using temporary = await temporaryFolder('vehicle-media-site-');
  const folder = temporary.path;
  const output = path.join(folder, 'package');
  const values = { output, quiet: true, debug: false };
  await makePackage({ values, positionals: [], given: new Set() }, io);
  const { stdout } = await execute('npm pack --silent ./package', {
    cwd: folder,
    env: io.env,
  });
  const file = stdout.trim().split('\n').at(-1) ?? '';
  const bytes = await readFile(path.join(folder, file));
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  return { name: file.replace(/\.tgz$/, `-${hash}.tgz`), bytes };
}

/** Adds the package to a project. The dependency comes first, so that an interrupted run is recognised. */
async function addPackage(
  folder: string,
  { name, bytes }: { name: string; bytes: Buffer },
  files: Record<string, string>,
): Promise<void> {
  for (const file of [...Object.keys(files), `${VENDOR}/${name}`]) await checkPlace(folder, file);
  for (const [file, text] of Object.entries(files)) {
    await writeFileAtomic(path.join(folder, file), text);
  }
  makeFolder(path.join(folder, VENDOR));
  await writeFileAtomic(path.join(folder, VENDOR, name), bytes, { mode: 0o644 });
}

/** Removes all tarballs of this program except one. `vendor/` may also contain files of the project. */
async function removeOthers(folder: string, name: string): Promise<void> {
  for (const other of await readdir(path.join(folder, VENDOR)).catch(() => [])) {
    if (isTarball(other) && other !== name) await rm(path.join(folder, VENDOR, other));
  }
}

/** The files that name the package, and their content. */
async function namingFiles(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const file of ['package.json', ...LOCKFILE_NAMES]) {
    const place = path.join(folder, file);
    if (existsSync(place)) files[file] = await readFile(place, 'utf8');
  }
  return files;
}

/** Options for init. */
const initFlags = ({ values, given }: NewArgs): string[] =>
  [...given]
    .filter((name) => Object.hasOwn(INIT_OPTIONS, name) || name === 'debug')
    .flatMap((name) => {
      const value = values[name as keyof NewArgs['values']];
      if (value === true) return [`--${name}`];
      return [value].flat().map((item) => `--${name}=${item}`);
    });

/** Commands that commit an update to the project's repository. */
const commitLines = (lockfiles: readonly string[]): string[] => [
  `git add package.json ${[...lockfiles, VENDOR].join(' ')}`,
  'git commit -m "Update vehicle-media-site"',
];

export const run: Run<typeof NEW_OPTIONS> = async (args, io) => {
  const [typedFolder] = args.positionals;
  if (typedFolder === undefined) throw refused('no folder was given.', 'A project needs a folder.');
  const start = io.env.INIT_CWD ?? io.cwd;
  const folder = path.resolve(start, typedFolder);
  const print = (text: string) => args.values.quiet || io.stdout.write(`${text}\n`);
  const former = await formerTarball(folder);
  const isSetUp = existsSync(path.join(folder, CONFIG_FILE));
  checkOptions(args, folder, former !== undefined && isSetUp, io);
  const manager = await managerFor(args, folder, io);
  const env = withoutOwnPrograms(io.env);
  const node = await nodeFor(env);
  makeFolder(folder);
  print('Packing this clone …');
  const tarball = await pack(io);
  const spec = specOf(tarball.name);
  const before = former === undefined ? {} : await namingFiles(folder);
  const files =
    former === undefined
      ? filesOf({ folder, spec, manager, ...(node && { node }) })
      : { 'package.json': (before['package.json'] ?? '').replace(specOf(former), spec) };
  await addPackage(folder, tarball, files);
  print(`Installing it in ${folder} with ${manager.name} …`);
  if ((await install(folder, manager, env)) !== 0) {
    for (const [file, text] of Object.entries(before)) {
      await writeFileAtomic(path.join(folder, file), text);
    }
    if (former !== undefined) await removeOthers(folder, former);
    throw new ConfigError({
      code: 'new-not-installed',
      what: `${manager.name} could not install the project in ${folder}.`,
      why: 'Its output is above.',
      fix: `Correct that, and run the same command again.${former === undefined ? '' : ' The project still has its previous version.'}`,
    });
  }
  await removeOthers(folder, tarball.name);
  print('');
  const projectEnv = { ...env, INIT_CWD: start };
  if (!isSetUp) return runInstalled(folder, ['init', ...initFlags(args)], projectEnv);
  const exitCode = await runInstalled(folder, ['doctor'], projectEnv);
  if (tarball.name === former) print('\nThe project already had this version.');
  else {
    const lockfiles = Object.keys(await namingFiles(folder)).slice(1);
    print(`\nUpdated to ${tarball.name}. ${nextCommands(folder, start, commitLines(lockfiles))}`);
  }
  return exitCode;
};
