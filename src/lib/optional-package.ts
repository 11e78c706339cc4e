import { ConfigError } from '../errors.ts';
import { PEER_VERSIONS } from './own-package.ts';

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
    const withVersions = packages.map((name) => `${name}@${PEER_VERSIONS[name]}`).join(' ');
    throw new ConfigError({
      code: 'package-missing',
      what: `${use} needs the package ${missing}, which is not installed.`,
      why: 'Most sites do not need it, so it is not installed with this program.',
      fix: `Install it in your project: npm install ${withVersions}`,
      cause,
    });
  }
}
