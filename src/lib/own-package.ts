import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const MANIFEST = findPackageJSON('..', import.meta.url);
if (MANIFEST === undefined) throw new Error(`${import.meta.filename} is not in a package`);

/**
 * Absolute path of this program's folder: a checkout of its repository, or a package below `node_modules`. Both
 * have the same paths of templates and assets.
 */
export const PACKAGE_ROOT = path.dirname(MANIFEST);

/** Whether this is the published package, which is compiled and belongs to the project that installed it. */
export const IS_PUBLISHED = path.extname(import.meta.filename) === '.js';

/**
 * Folder next to the project's packages, for caches whose content depends only on this program. `npm ci` removes
 * it, and only users who may change the program may write to it.
 */
export function programCacheFolder(name: string): string {
  const project = IS_PUBLISHED ? installedIn(PACKAGE_ROOT) : PACKAGE_ROOT;
  return path.join(project, 'node_modules', '.cache', 'vehicle-media-site', name);
}

/** The project that a package is installed in: the folder of the outermost `node_modules` above it. */
function installedIn(folder: string): string {
  const parts = folder.split(path.sep);
  const index = parts.indexOf('node_modules');
  return index < 0 ? folder : parts.slice(0, index).join(path.sep) || path.sep;
}

/** Path of a module next to `from`, to start it as a process: `.ts` in a checkout, `.js` in the package. */
export const moduleFile = (name: string, from: string): string =>
  fileURLToPath(new URL(`${name}${path.extname(import.meta.filename)}`, from));

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

/** Version of an installed package, without loading it. @throws {Error} it is not installed. */
export function packageVersion(name: string): string {
  const file = findPackageJSON(name, import.meta.url);
  if (file === undefined) throw new Error(`${name} is not installed`);
  return readJson(file).version;
}

const { version, dependencies, peerDependencies } = readJson(MANIFEST);

export const OWN_VERSION: string = version;

/** Versions of optional packages that this program was tested with. */
export const PEER_VERSIONS: Readonly<Record<string, string>> = peerDependencies;

/** The packages that this program needs, with their installed versions: `zod@4.6.7`. */
export const packageVersions = (): string[] =>
  Object.keys(dependencies).map((name) => `${name}@${packageVersion(name)}`);
