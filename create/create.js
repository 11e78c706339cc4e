// @ts-check
/** npm create vehicle-media-site@latest my-site: a folder, the program in it, and the program's own init. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { filesOf, inTheWay, managerOf, parseLine } from './project.js';

const USAGE = `npm create vehicle-media-site@latest FOLDER [-- OPTIONS]

Makes a project in FOLDER: installs vehicle-media-site there with the package manager that runs this, and
sets it up as "vehicle-media-site init" does. In a terminal it asks; with options it asks nothing.

  FOLDER           a new or empty folder; "." is this one
  --package SPEC   another version, a tarball or a folder in place of vehicle-media-site
  OPTIONS          of init: --service, --url, --dealer and others; all are in
                   node_modules/vehicle-media-site/docs/commands.md of the project
`;

class Refusal extends Error {}

/**
 * The folder of the project, made if it is not there.
 *
 * @param {string | undefined} name
 * @throws {Refusal} something lies there.
 */
function folderFor(name) {
  const folder = path.resolve(name ?? '.');
  try {
    mkdirSync(folder, { recursive: true });
    const found = inTheWay(readdirSync(folder));
    if (found.length === 0) return folder;
    const [some, more] = [found.slice(0, 3).join(', '), found.length > 3 ? ', …' : ''];
    throw new Refusal(
      name === undefined
        ? `No folder is named, and this one is not empty: ${some}${more}\nName a new one: npm create vehicle-media-site@latest my-site`
        : `${folder} is not empty: ${some}${more}\nNothing was changed. Name a new folder. In a project that is there already: npm install vehicle-media-site, then: npx vehicle-media-site init`,
    );
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`${folder} cannot be used: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * A package as its project names it: a file or folder from where it is.
 *
 * @param {string} spec
 */
const fromAnywhere = (spec) =>
  /^\.{0,2}[\\/]|^[a-z]:[\\/]|\.tgz$/i.test(spec) && !/^\w+:\/\//.test(spec)
    ? `file:${path.resolve(spec)}`
    : spec;

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<number>} its exit code
 */
const run = (command, args, options) =>
  new Promise((resolve) => {
    const child = spawn(command, args, options);
    child.on('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });

/** The environment without what yarn puts there for packages of its own cache, this one among them. */
function environment() {
  const { NODE_OPTIONS = '', ...env } = process.env;
  return NODE_OPTIONS.includes('.pnp.') ? env : process.env;
}

/** @returns {Promise<number>} the exit code */
async function create() {
  const { folder: name, spec, help, flags } = parseLine(process.argv.slice(2));
  /** @type {{ version: string }} */
  const own = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'));
  if (help) {
    console.log(USAGE);
    return 0;
  }
  const manager = managerOf(process.env.npm_config_user_agent);
  const folder = folderFor(name);
  const files = filesOf({
    folder,
    spec: spec === undefined ? `^${own.version}` : fromAnywhere(spec),
    manager,
  });
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(path.join(folder, file), text, { flag: 'wx' });
  }
  const env = environment();
  const there = path.relative('.', folder);
  const goOn = (/** @type {string[]} */ ...lines) =>
    ['Go on with:', ...(there === '' ? [] : [`cd "${there}"`]), ...lines].join('\n  ');
  console.log(`Installing vehicle-media-site in ${folder} with ${manager.name} …`);
  const quiet = manager.name === 'npm' ? ['--no-audit', '--no-fund', '--loglevel=error'] : [];
  const installed = await run(manager.name, ['install', ...quiet], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    // On Windows, package managers are scripts of the shell.
    shell: process.platform === 'win32',
    // Without a lockfile yet, yarn refuses to write one in CI.
    env: { ...env, YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' },
  });
  if (installed !== 0) {
    console.error(
      `\n${manager.name} could not install it; what it said stands above.\n${goOn(`${manager.name} install`, `${manager.name} run init`)}`,
    );
    return 1;
  }
  console.log('');
  const program = path.join(folder, 'node_modules', 'vehicle-media-site');
  /** @type {{ bin: Record<string, string> }} */
  const { bin } = JSON.parse(readFileSync(path.join(program, 'package.json'), 'utf8'));
  const script = path.join(program, bin['vehicle-media-site'] ?? '');
  const exitCode = await run(process.execPath, [script, 'init', ...flags], {
    cwd: folder,
    stdio: 'inherit',
    // From where a person goes on, as package managers name it.
    env: { ...env, INIT_CWD: process.cwd() },
  });
  if (exitCode !== 0 && !existsSync(path.join(folder, 'site.config.ts'))) {
    console.error(`\nIt is installed, and not set up yet.\n${goOn(`${manager.name} run init`)}`);
  }
  return exitCode;
}

try {
  process.exitCode = await create();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
