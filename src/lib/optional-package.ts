import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../errors.ts';
import { PACKAGE_ROOT } from './own-package.ts';

/** Packages with the versions that this program was tested with, as arguments of an install command. */
function withVersions(packages: readonly string[]): string {
  const manifest = readFileSync(path.join(PACKAGE_ROOT, 'package.json'), 'utf8');
  const { peerDependencies } = JSON.parse(manifest) as { peerDependencies: Record<string, string> };
  return packages.map((name) => `${name}@${peerDependencies[name]}`).join(' ');
}

/**
 * Loads code that needs optional packages. They are not installed with this program, because most sites need none.
 *
 * @param packages names of peer dependencies of this program's manifest.
 * @param use name of the feature that needs them, the subject of a sentence.
 * @param load imports the code that uses the packages.
 * @throws {ConfigError} a package is not installed.
 */
export async function withPackages<T>(
  packages: readonly string[],
  use: string,
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const missing = packages.find((name) => message.includes(`'${name}'`));
    if (!code?.endsWith('MODULE_NOT_FOUND') || missing === undefined) throw cause;
    throw new ConfigError({
      code: 'package-missing',
      what: `${use} needs the package ${missing}, which is not installed.`,
      why: 'Most sites do not need it, so it is not installed with this program.',
      fix: `Install it in your project: npm install ${withVersions(packages)}`,
      cause,
    });
  }
}
