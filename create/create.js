// @ts-check
/** npm create vehicle-media-site@latest my-site: a folder, the program in it, and the program's own init. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { goOn, install, runInstalled } from './install.js';
import { filesOf, inTheWay, managerOf, parseLine } from './project.js';

const USAGE = `npm create vehicle-media-site@latest FOLDER [-- OPTIONS]

Makes a project in FOLDER: installs vehicle-media-site there with the package manager that runs this, and
sets it up as "vehicle-media-site init" does. In a terminal it asks; with options it asks nothing.

  FOLDER           a new or empty folder; "." is this one
  --package SPEC   another version, a tarball or a folder in place of vehicle-media-site
  OPTIONS          of init: --service, --url, --dealer and others; in the project,
                   "npm run init -- --help" lists all
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
  const next = (/** @type {string[]} */ ...lines) => goOn(folder, process.cwd(), lines);
  console.log(`Installing vehicle-media-site in ${folder} with ${manager.name} …`);
  if ((await install(folder, manager, env)) !== 0) {
    console.error(
      `\n${manager.name} could not install it; its message is above.\n${next(`${manager.name} install`, `${manager.name} run init`)}`,
    );
    return 1;
  }
  console.log('');
  // The folder in which the user goes on, as package managers name it.
  const exitCode = await runInstalled(folder, ['init', ...flags], {
    ...env,
    INIT_CWD: process.cwd(),
  });
  if (exitCode !== 0 && !existsSync(path.join(folder, 'site.config.ts'))) {
    console.error(`\nIt is installed, and not set up yet.\n${next(`${manager.name} run init`)}`);
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
