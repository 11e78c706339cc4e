// @ts-check
/** `npm create vehicle-media-site@latest my-site`: creates a folder, installs the program there, and runs its `init`. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { install, nextCommands, runInstalled } from './install.js';
import { filesInUse, filesOf, managerOf, parseLine } from './project.js';

const USAGE = `npm create vehicle-media-site@latest FOLDER [-- OPTIONS]

Creates a project in FOLDER: installs vehicle-media-site there with your package manager, and runs its init.
In a terminal, init asks questions. With options, it asks none.

  FOLDER           a new or empty folder. "." is the current folder
  --package SPEC   another version, a tarball or a folder instead of vehicle-media-site
  OPTIONS          of init, such as --service, --url and --dealer. In the project,
                   "npm run init -- --help" lists all
`;

class Refusal extends Error {}

/**
 * The folder of the project. It is created if it does not exist.
 *
 * @param {string | undefined} name
 * @throws {Refusal} it is not empty, or cannot be created.
 */
function folderFor(name) {
  const folder = path.resolve(name ?? '.');
  try {
    mkdirSync(folder, { recursive: true });
    const found = filesInUse(readdirSync(folder));
    if (found.length === 0) return folder;
    const [some, more] = [found.slice(0, 3).join(', '), found.length > 3 ? ', …' : ''];
    throw new Refusal(
      name === undefined
        ? `The current folder is not empty: ${some}${more}\nName a new one: npm create vehicle-media-site@latest my-site`
        : `${folder} is not empty: ${some}${more}\nNothing was changed. Name a new folder. To add the program to an existing project, run in it: npm install vehicle-media-site && npx vehicle-media-site init`,
    );
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`${folder} cannot be used: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * The specification of a package for the package.json of the project. A file or folder becomes an absolute path.
 *
 * @param {string} spec
 */
const absoluteSpec = (spec) =>
  /^\.{0,2}[\\/]|^[a-z]:[\\/]|\.tgz$/i.test(spec) && !/^\w+:\/\//.test(spec)
    ? `file:${path.resolve(spec)}`
    : spec;

/** The environment without yarn's settings for packages in its cache, such as this one. */
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
    spec: spec === undefined ? `^${own.version}` : absoluteSpec(spec),
    manager,
  });
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(path.join(folder, file), text, { flag: 'wx' });
  }
  const env = environment();
  const next = (/** @type {string[]} */ ...lines) => nextCommands(folder, process.cwd(), lines);
  console.log(`Installing vehicle-media-site in ${folder} with ${manager.name} …`);
  if ((await install(folder, manager, env)) !== 0) {
    console.error(
      `\n${manager.name} could not install it. Its message is above.\n${next(`${manager.name} install`, `${manager.name} run init`)}`,
    );
    return 1;
  }
  console.log('');
  // The folder for the user's next commands. Package managers use the same variable.
  const exitCode = await runInstalled(folder, ['init', ...flags], {
    ...env,
    INIT_CWD: process.cwd(),
  });
  if (exitCode !== 0 && !existsSync(path.join(folder, 'site.config.ts'))) {
    console.error(
      `\nThe program is installed but not set up yet.\n${next(`${manager.name} run init`)}`,
    );
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
