import { constants } from 'node:fs';
import { chmod, copyFile, lstat, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { settingNames } from '../../config/deploy-settings.ts';
import { hostOf } from '../../config/hosts.ts';
import { Secret } from '../../config/secret.ts';
import { ConfigError } from '../../errors.ts';
import { writeFileAtomic } from '../../lib/files/write.ts';
import { readProject } from '../project.ts';
import { workflowFor } from '../workflow/workflow.ts';
import { addedDealers, fileWithDealers } from './added-dealers.ts';
import { type Answers, toConfig } from './answers.ts';
import { CONFIG_FILE, configFile, withPlainBreaks } from './config-file.ts';
import { planEnvFile, readIfFile } from './env-file.ts';

export interface PlannedFile {
  /** Path from the project's folder. */
  file: string;
  text: string;
  /** Rights of a file with keys. */
  mode?: 0o600;
  /** The project has it with this text already. */
  isUnchanged?: boolean;
  /** What of a person's own would be lost, in words; undefined if nothing. */
  loses?: string;
}

const notOurs = (file: string, why: string, fix: string): ConfigError =>
  new ConfigError({
    code: 'init-not-writable',
    what: `Nothing was written: ${file} cannot be changed.`,
    why,
    fix,
  });

/**
 * Looks at a place before anything is written there. What a link leads to is somebody else's, and a
 * link that is replaced is lost.
 *
 * @throws {ConfigError} it is no file of this project that may be written.
 */
export async function checkPlace(root: string, file: string): Promise<void> {
  const parts = file.split('/');
  for (const index of parts.keys()) {
    const place = parts.slice(0, index + 1).join('/');
    const found = await lstat(path.join(root, place)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!found) return;
    const isLast = index === parts.length - 1;
    if (found.isSymbolicLink()) {
      throw notOurs(
        file,
        `${place} is a symbolic link; what it leads to is not changed, nor is the link replaced.`,
        `Put a ${isLast ? 'file' : 'folder'} in its place, or keep it and edit by hand what it leads to.`,
      );
    }
    if (isLast ? !found.isFile() : !found.isDirectory()) {
      throw notOurs(
        file,
        `${place} is no ${isLast ? 'file' : 'folder'}.`,
        'Move away what lies there, and run it again.',
      );
    }
    // Asked of the file and not of the system: a superuser may write everything.
    if (isLast && (found.mode & 0o200) === 0) {
      throw notOurs(
        file,
        'It is write-protected.',
        `Run: chmod u+w ${file} (or keep it and edit it by hand)`,
      );
    }
  }
}

/** A file as init makes it: what stands there and is another is somebody's own. */
async function plan(
  root: string,
  { file, text }: { file: string; text: string },
): Promise<PlannedFile> {
  const former = await readIfFile(path.join(root, file));
  if (former !== undefined && withPlainBreaks(former) === text) {
    return { file, text: former, isUnchanged: true };
  }
  await checkPlace(root, file);
  return { file, text, ...(former !== undefined && { loses: file }) };
}

/** A file of a person that only gets more, or is made where there is none. */
export async function planAddition(
  root: string,
  file: string,
  textFrom: (former: string | undefined) => string,
): Promise<PlannedFile[]> {
  const former = await readIfFile(path.join(root, file));
  const text = textFrom(former);
  if (text === former) return [];
  await checkPlace(root, file);
  return [{ file, text }];
}

/** Whether answers only add dealers with the keys of others: then the workflow stays. */
function needsNoNewKey(answers: Answers, existing: Answers): boolean {
  const known = new Set(existing.dealers.map(({ apiKeyEnv }) => apiKeyEnv));
  return addedDealers(answers, existing)?.every(({ apiKeyEnv }) => known.has(apiKeyEnv)) ?? false;
}

/** The configuration: one that says already what was answered stays, with all that it says besides. */
async function planConfig(
  root: string,
  answers: Answers,
  existing: Answers | undefined,
): Promise<PlannedFile> {
  const file = CONFIG_FILE;
  const added = existing && addedDealers(answers, existing);
  if (added) {
    await checkPlace(root, file);
    const place = path.join(root, file);
    const text = await fileWithDealers(place, (await readIfFile(place)) ?? '', added);
    return { file, text };
  }
  const kept = existing && isDeepStrictEqual(toConfig(answers), toConfig(existing));
  const former = kept ? await readIfFile(path.join(root, file)) : undefined;
  if (former !== undefined) return { file, text: former, isUnchanged: true };
  return plan(root, { file, text: configFile(answers) });
}

/**
 * Everything that answers lead to, as data: nothing is written yet.
 *
 * @param existing what the configuration that is there says.
 * @throws {ConfigError} a place that would have to be written is somebody else's.
 */
export async function planFiles(
  root: string,
  answers: Answers,
  keys: ReadonlyMap<string, Secret>,
  existing?: Answers,
): Promise<PlannedFile[]> {
  const files = [await planConfig(root, answers, existing)];
  const wanted = new Map(keys).set('DEPLOY_TO', new Secret(answers.host));
  const toFillIn = hostOf(answers.host)?.form === 'thin' ? settingNames(answers.host) : [];
  const { text, conflicts, changed } = await planEnvFile(path.join(root, '.env'), wanted, toFillIn);
  if (changed) await checkPlace(root, '.env');
  files.push({
    file: '.env',
    text,
    mode: 0o600,
    isUnchanged: !changed,
    ...(conflicts.length > 0 && { loses: `${conflicts.join(', ')} in .env` }),
  });
  if (answers.ci !== 'none' && !(existing && needsNoNewKey(answers, existing))) {
    files.push(await plan(root, workflowFor(answers.ci, answers, await readProject(root))));
  }
  return files;
}

/** What a plan would destroy. */
export const lossesOf = (files: readonly PlannedFile[]): string[] =>
  files.flatMap(({ loses }) => (loses === undefined ? [] : [loses]));

/** The error where nobody can be asked whether to overwrite. */
export function wouldOverwrite(losses: readonly string[]): ConfigError {
  return new ConfigError({
    code: 'init-overwrite',
    what: `Nothing was written: this would be overwritten: ${losses.join('; ')}.`,
    why: 'It exists already and is not as this project ships it. What init does not ask for, it does not carry over.',
    fix: 'Edit it by hand, or give --force to overwrite it; a copy of a file is kept beside it.',
  });
}

/** Puts a copy of a file beside it, under a name that nothing has; says which. */
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

/** The file with the keys must not stay open to others, also where nothing in it changes. */
async function closeToOthers(file: string): Promise<void> {
  const found = await lstat(file).catch(() => undefined);
  if (found?.isFile() && (found.mode & 0o077) !== 0) await chmod(file, 0o600);
}

/**
 * Writes the files of a plan, each whole or not at all; says which. Of a person's own file that is
 * replaced, a copy is kept.
 *
 * @throws {ConfigError} the system refuses to write one.
 */
export async function writeProjectFiles(
  root: string,
  files: readonly PlannedFile[],
): Promise<string[]> {
  const told: string[] = [];
  for (const { file, text, mode = 0o644, isUnchanged, loses } of files) {
    const target = path.join(root, file);
    if (isUnchanged) {
      if (mode === 0o600) await closeToOthers(target);
      told.push(`${file} (as it was)`);
      continue;
    }
    try {
      const copy = loses === file ? await keepCopy(root, file) : undefined;
      await mkdir(path.dirname(target), { recursive: true });
      await writeFileAtomic(target, text, { mode });
      told.push(`${file}${copy === undefined ? '' : ` (what stood there: ${copy})`}`);
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code === undefined) throw cause;
      throw new ConfigError({
        code: 'init-not-writable',
        what: `${file} could not be written${told.length > 0 ? `; written before it: ${told.join(', ')}` : ''}.`,
        why: message,
        fix: 'Check the rights and the free space of this folder, and run it again.',
        cause,
      });
    }
  }
  return told;
}
