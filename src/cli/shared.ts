/** Functions that several commands share. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import { CHANGES } from '../change-set/change-set.ts';
import { AppError, describeError, printableLines } from '../errors.ts';
import type { Io } from '../lib/command-line/definition.ts';

/** Prints why nothing was published. With `--debug` also the stack and the cause. @param site one of several. */
export function printFailure(error: unknown, { stderr }: Io, debug: boolean, site?: string): void {
  stderr.write(`${site ? `${site}: ` : ''}${describeError(error, { debug })}\n`);
  if (debug && error instanceof AppError && error.cause) {
    stderr.write(`${printableLines(inspect(error.cause))}\n`);
  }
}

/** A folder relative to the working folder, for messages. */
export const shownFolder = (folder: string, { cwd }: Pick<Io, 'cwd'>): string =>
  path.relative(cwd, folder) || '.';

/** A path as one word of the user's shell. */
export function shellWord(file: string): string {
  if (!/[^\w./-]/.test(file)) return file;
  return process.platform === 'win32' ? `"${file}"` : `'${file.replaceAll("'", String.raw`'\''`)}'`;
}

const run = (command: string, option: string, folder: string, defaultFolder: string): string =>
  `npm run ${command}${folder === defaultFolder ? '' : ` -- --${option} ${shellWord(folder)}`}`;

/** The default folders in which a build left a site to deploy. */
export const builtFolders = (cwd: string): string[] =>
  ['_changes', '_site'].filter((name) =>
    [CHANGES, 'index.html'].some((file) => existsSync(path.join(cwd, name, file))),
  );

/** The next step after a build, in one line. @param deploys whether `npm run deploy` can upload the site. */
export function nextStep(output: string, io: Pick<Io, 'cwd'>, deploys: boolean): string {
  const folder = shownFolder(output, io);
  if (!deploys) {
    const preview = run('preview', 'output', folder, '_site');
    return `Not deployed (docs/hosting.md). Next, look at it: ${preview}`;
  }
  // With two, a deploy would not know which one to upload.
  const [only = '', other] = builtFolders(io.cwd);
  return `Next, put it online: ${run('deploy', 'folder', folder, other ? '' : only)}`;
}
