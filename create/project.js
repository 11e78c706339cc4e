// @ts-check
/** Files of a new project before the installation. Pure functions. */
import path from 'node:path';

/** @typedef {{ name: 'npm' | 'pnpm' | 'yarn', version: string }} Manager */

/**
 * The package manager that runs this script, from its user agent: `pnpm/10.2.0 npm/? node/v24.1.0 linux x64`.
 *
 * @param {string | undefined} userAgent
 * @returns {Manager}
 */
export function managerOf(userAgent) {
  const [, name, version = ''] = /^(pnpm|yarn)\/(\S+)/.exec(userAgent ?? '') ?? [];
  return name === 'pnpm' || name === 'yarn' ? { name, version } : { name: 'npm', version: '' };
}

/**
 * Parses the command line: the folder, a package instead of this version's, and the options of init (`flags`).
 *
 * @param {readonly string[]} words
 * @returns {{ folder: string | undefined, spec: string | undefined, help: boolean, flags: string[] }}
 */
export function parseLine(words) {
  const rest = [...words];
  const help = rest.includes('--help') || rest.includes('-h');
  const [first] = rest;
  const folder = first !== undefined && !first.startsWith('-') ? rest.shift() : undefined;
  const at = rest.findIndex((word) => word === '--package' || word.startsWith('--package='));
  if (at < 0) return { folder, spec: undefined, help, flags: rest };
  const [option = ''] = rest.splice(at, 1);
  const spec = option.includes('=')
    ? option.slice(option.indexOf('=') + 1)
    : rest.splice(at, 1)[0] || undefined;
  return { folder, spec, help, flags: rest };
}

/** Files that the folder of a new project may contain: Git hosts and editors create them. */
const HARMLESS =
  /^(?:\.git|\.gitignore|\.gitattributes|\.ds_store|\.idea|\.vscode|licen[cs]e|readme)(?:\..*)?$/i;

/**
 * The names in a folder that show that it is in use.
 *
 * @param {readonly string[]} names
 */
export const filesInUse = (names) => names.filter((name) => !HARMLESS.test(name)).sort();

/**
 * The name of a folder as a valid package name.
 *
 * @param {string} folder
 */
export function packageName(folder) {
  const name = path
    .basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._~-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '');
  // A package cannot depend on a package with the same name.
  return name === '' || name === 'vehicle-media-site' ? 'my-site' : name;
}

/** @param {Manager} manager */
const isModernYarn = ({ name, version }) => name === 'yarn' && !version.startsWith('1.');

/**
 * Whether CI must install with the same version: the newest pnpm cannot read a lockfile of pnpm 10, nor yarn 1 one of
 * a newer yarn. pnpm 12 refuses its own lockfile if package.json names a version.
 *
 * @param {Manager} manager
 */
const isPinned = ({ name, version }) =>
  name === 'yarn' || (name === 'pnpm' && Number.parseInt(version, 10) <= 10);

/**
 * The files that an installation needs, by name. The `init` of the installed version writes all others.
 *
 * @param {object} project
 * @param {string} project.folder
 * @param {string} project.spec
 * @param {Manager} project.manager
 * @param {Record<string, string>} [project.node] packages with a Node, if the machine's Node is too old
 * @returns {Record<string, string>}
 */
export function filesOf({ folder, spec, manager, node }) {
  const manifest = {
    name: packageName(folder),
    private: true,
    type: 'module',
    engines: { node: '>=24' },
    ...(isPinned(manager) && { packageManager: `${manager.name}@${manager.version}` }),
    scripts: { init: 'vehicle-media-site init' },
    dependencies: { 'vehicle-media-site': spec },
    // yarn runs scripts with its own Node, and would link the Node of another system for npx.
    ...(node && manager.name !== 'yarn' && { optionalDependencies: node }),
  };
  /** @type {Record<string, string>} */
  const files = { 'package.json': `${JSON.stringify(manifest, null, 2)}\n` };
  // Before version 10.5, pnpm refuses this file without a list of packages.
  if (manager.name === 'pnpm' && !/^(?:\d|10\.[0-4])\./.test(manager.version)) {
    files['pnpm-workspace.yaml'] = PNPM;
  }
  if (isModernYarn(manager)) {
    files['.yarnrc.yml'] = YARN;
    // Marks a separate project, also in a folder of another project.
    files['yarn.lock'] = '';
  }
  return files;
}

const PNPM = `# No package needs to run a script when it is installed.
allowBuilds:
  esbuild: false
  msgpackr-extract: false
`;

const YARN = `# The program reads its packages as files.
nodeLinker: node-modules
`;
