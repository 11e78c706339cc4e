/** Plans the files of a project, and writes them. */
import { constants } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { settingNames } from '../../config/deploy-settings.ts';
import { hostOf } from '../../config/hosts.ts';
import { Secret } from '../../config/secret.ts';
import { ConfigError } from '../../errors.ts';
import { decodeFile } from '../../lib/files/read.ts';
import { reasonOf } from '../../lib/files/system-errors.ts';
import { writeFileAtomic } from '../../lib/files/write.ts';
import { readProject } from '../project.ts';
import { withKeys, workflowFor } from '../workflow.ts';
import { type Answers, type Dealer, hasSite, toConfig } from './answers.ts';
import { addedDealers, CONFIG_FILE, configFile, fileWithDealers } from './config-file.ts';
import { envText } from './env-file.ts';

export interface PlannedFile {
  /** Path relative to the project's folder. */
  file: string;
  text: string;
  /** Permissions of a file with keys. */
  mode?: 0o600;
  /** Whether the file already has this text. */
  isUnchanged: boolean;
  /** Description of the user's content that would be lost. Undefined if nothing is lost. */
  loses?: string;
}

const notWritable = (what: string, why: string, fix: string, cause?: unknown): ConfigError =>
  new ConfigError({ code: 'init-not-writable', what, why, fix, cause });

/** The text of a file. Undefined if there is none. `checkPlace` handles links and folders with this name. */
async function readIfFile(root: string, file: string): Promise<string | undefined> {
  try {
    return decodeFile(await readFile(path.join(root, file)));
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP'].includes(code)) return undefined;
    throw notWritable(
      `Nothing was written: ${file} could not be read.`,
      reasonOf(cause),
      'Check the permissions of the file, and run it again.',
      cause,
    );
  }
}

/**
 * Checks a path before anything is written. Links are refused, because their target may not belong to the project, and
 * replacing a link would destroy it.
 *
 * @throws {ConfigError} it is not a writable file of this project.
 */
export async function checkPlace(root: string, file: string): Promise<void> {
  const refuse = (why: string, fix: string) =>
    notWritable(`Nothing was written: ${file} cannot be changed.`, why, fix);
  const parts = file.split('/');
  for (const index of parts.keys()) {
    const place = parts.slice(0, index + 1).join('/');
    const stats = await lstat(path.join(root, place)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!stats) return;
    const isLast = index === parts.length - 1;
    const kind = isLast ? 'file' : 'folder';
    if (stats.isSymbolicLink()) {
      throw refuse(
        `${place} is a symbolic link. Neither it nor its target is changed.`,
        `Put a ${kind} in its place, or keep it and edit its target by hand.`,
      );
    }
    if (isLast ? !stats.isFile() : !stats.isDirectory()) {
      throw refuse(`${place} is not a ${kind}.`, 'Move it away, and run this again.');
    }
    // Checks the mode of the file, because a superuser can write everything.
    if (isLast && (stats.mode & 0o200) === 0) {
      const fix = `Run: chmod u+w ${file} (or keep it and edit it by hand)`;
      throw refuse('It is write-protected.', fix);
    }
  }
}

const withPlainBreaks = (text: string): string => text.replaceAll('\r\n', '\n');

/** A text that replaces the former text, or an edited text with a description of lost content. */
type Draft = string | { text: string; loses?: string };

/** Plans a file. `draftFrom` makes its text from the former text. */
export async function planFile(
  root: string,
  file: string,
  draftFrom: (former: string | undefined) => Draft | Promise<Draft>,
): Promise<PlannedFile> {
  const former = await readIfFile(root, file);
  const draft = await draftFrom(former);
  const isReplaced = typeof draft === 'string' && former !== undefined;
  const { text, loses } =
    typeof draft === 'string' ? { text: draft, loses: isReplaced ? file : undefined } : draft;
  // git may have changed line breaks.
  if (former !== undefined && withPlainBreaks(former) === withPlainBreaks(text)) {
    return { file, text: former, isUnchanged: true };
  }
  await checkPlace(root, file);
  return { file, text, loses, isUnchanged: false };
}

/** Draft of a workflow for additional dealers. An existing file gets only the keys that it lacks. */
export const extended =
  (text: string, dealers: readonly Dealer[]) =>
  (former: string | undefined): Draft =>
    former === undefined ? text : { text: withKeys(former, dealers) };

/**
 * Plans the files with the answers. Writes nothing.
 *
 * @param existing the answers that the project was set up with.
 * @throws {ConfigError} a path is not a file of this project.
 */
export async function planFiles(
  root: string,
  answers: Answers,
  keys: ReadonlyMap<string, Secret>,
  existing?: Answers,
): Promise<PlannedFile[]> {
  const added = existing && addedDealers(answers, existing);
  const isSame = existing && isDeepStrictEqual(toConfig(answers), toConfig(existing));
  const config = await planFile(root, CONFIG_FILE, async (former = '') => {
    if (!added) return isSame ? former : configFile(answers);
    return { text: await fileWithDealers(path.join(root, CONFIG_FILE), former, added) };
  });
  const variables = new Map(keys);
  if (hasSite(answers)) variables.set('DEPLOY_TO', new Secret(answers.host));
  const toFillIn = hostOf(answers.host)?.form === 'thin' ? settingNames(answers.host) : [];
  const planned = await planFile(root, '.env', (former) => {
    const { text, conflicts } = envText(former, variables, toFillIn);
    return { text, loses: conflicts.length > 0 ? `${conflicts.join(', ')} in .env` : undefined };
  });
  const env: PlannedFile = { ...planned, mode: 0o600 };
  if (answers.ci === 'none') return [config, env];
  const { file, text } = workflowFor(answers.ci, answers, await readProject(root));
  return [config, env, await planFile(root, file, added ? extended(text, added) : () => text)];
}

/** Descriptions of the content that a plan would destroy. */
export const lossesOf = (files: readonly PlannedFile[]): string[] =>
  files.flatMap(({ loses }) => loses ?? []);

/**
 * If a plan would destroy the user's content, asks whether to overwrite it.
 *
 * @param confirm asks a question. Undefined without a terminal.
 * @throws {ConfigError} the user refuses, or there is no terminal.
 */
export async function confirmLosses(
  files: readonly PlannedFile[],
  confirm?: (question: string) => Promise<boolean>,
): Promise<void> {
  const losses = lossesOf(files);
  if (losses.length === 0) return;
  const question = `Overwrite ${losses.join('; ')}? A copy of each file except .env is kept next to it. Settings that init does not ask for are lost.`;
  if (await confirm?.(question)) return;
  throw new ConfigError({
    code: 'init-overwrite',
    what: `Nothing was written: this would be overwritten: ${losses.join('; ')}.`,
    why: 'It differs from the file that init would write. Settings that init does not ask for would be lost.',
    fix: 'Edit it by hand, or overwrite it with --force. A copy of each file except .env is kept next to it.',
  });
}

/** Copies a file to an unused name next to it. @returns the name. */
async function keepCopy(root: string, file: string): Promise<string> {
  for (let number = 1; ; number++) {
    const copy = `${file}.former${number === 1 ? '' : `-${number}`}`;
    try {
      await copyFile(path.join(root, file), path.join(root, copy), constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/**
 * Writes the files of a plan, each completely or not at all. Keeps a copy of each user file that it replaces.
 *
 * @returns a note about each file.
 * @throws {ConfigError} the system refuses to write one.
 */
export async function writeProjectFiles(
  root: string,
  files: readonly PlannedFile[],
): Promise<string[]> {
  const notes: string[] = [];
  for (const { file, text, mode = 0o644, isUnchanged, loses } of files) {
    const target = path.join(root, file);
    if (isUnchanged) {
      // A file with keys becomes private, even if its content does not change.
      const stats = mode === 0o600 ? await lstat(target).catch(() => undefined) : undefined;
      if (stats?.isFile() && (stats.mode & 0o077) !== 0) await chmod(target, 0o600);
      notes.push(`${file} (unchanged)`);
      continue;
    }
    try {
      const copy = loses === file ? await keepCopy(root, file) : undefined;
      await mkdir(path.dirname(target), { recursive: true });
      await writeFileAtomic(target, text, { mode });
      notes.push(`${file}${copy === undefined ? '' : ` (former content: ${copy})`}`);
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code === undefined) throw cause;
      const writtenNote = notes.length > 0 ? `; written before it: ${notes.join(', ')}` : '';
      const fix = 'Check the permissions and the free space of this folder, and run it again.';
      throw notWritable(`${file} could not be written${writtenNote}.`, message, fix, cause);
    }
  }
  return notes;
}
