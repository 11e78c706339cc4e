/** Functions that several commands share. */
import path from 'node:path';
import { inspect } from 'node:util';
import { defaultCacheFolder, defaultConfigFile } from '../config/environment.ts';
import { AppError, describeError, printableLines } from '../errors.ts';
import type { Io } from '../lib/command-line/definition.ts';

/** The absolute path of a command's configuration: from `--config`, or the default. */
export const configFile = (
  values: { config: string | undefined },
  { cwd, env }: Pick<Io, 'cwd' | 'env'>,
): string => values.config ?? path.resolve(cwd, defaultConfigFile(env));

/** The absolute path of a command's cache folder: from `--cache`, or the default. */
export const cacheFolder = (
  values: { cache: string | undefined },
  { cwd, env }: Pick<Io, 'cwd' | 'env'>,
): string => values.cache ?? path.resolve(cwd, defaultCacheFolder(env));

/** Prints why nothing was published. With `--debug` also the stack and the cause. */
export function printFailure(error: unknown, { stderr }: Io, { debug }: { debug: boolean }): void {
  stderr.write(`${describeError(error, { debug })}\n`);
  if (debug && error instanceof AppError && error.cause) {
    stderr.write(`${printableLines(inspect(error.cause))}\n`);
  }
}

/** A folder relative to the working folder, for messages. */
export const shownFolder = (folder: string, { cwd }: Pick<Io, 'cwd'>): string =>
  path.relative(cwd, folder) || '.';

const run = (command: string, option: string, folder: string, defaultFolder: string): string =>
  `npm run ${command}${folder === defaultFolder ? '' : ` -- --${option} ${folder}`}`;

/**
 * The next step after a build, in one line.
 *
 * @param to the folder that `npm run deploy` uploads by default. Undefined if DEPLOY_TO is not one of its hosts.
 */
export function nextStep(output: string, io: Pick<Io, 'cwd'>, to?: '_changes' | '_site'): string {
  const folder = shownFolder(output, io);
  if (to !== undefined) return `Next, put it online: ${run('deploy', 'folder', folder, to)}`;
  const preview = run('preview', 'output', folder, '_site');
  return `Not deployed (docs/hosting.md). Next, look at it: ${preview}`;
}
