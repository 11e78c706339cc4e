import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Secret } from '../../config/secret.ts';
import { ConfigError } from '../../errors.ts';
import { writeFileAtomic } from '../../files.ts';
import type { Answers } from './answers.ts';
import { configFile, EXAMPLE } from './config-file.ts';
import { planEnvFile } from './env-file.ts';
import { workflowFor } from './workflow.ts';

interface PlannedFile {
  /** Path from the project's folder. */
  file: string;
  text: string;
  mode: number;
  state: 'new' | 'unchanged' | 'replaced';
  /** What of a person's own would be lost, in words; undefined if nothing. */
  loses: string | undefined;
}

const readText = async (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

/** A file of ours: what stands there is somebody's own unless it is as we ship it. */
async function plan(
  root: string,
  { file, text, shipped }: { file: string; text: string; shipped: readonly string[] },
): Promise<PlannedFile> {
  const former = await readText(path.join(root, file));
  if (former === undefined) return { file, text, mode: 0o644, state: 'new', loses: undefined };
  if (former === text) return { file, text, mode: 0o644, state: 'unchanged', loses: undefined };
  const own = !shipped.includes(former);
  return { file, text, mode: 0o644, state: 'replaced', loses: own ? file : undefined };
}

/** Everything that answers lead to, as data: nothing is written yet. */
export async function planFiles(
  root: string,
  answers: Answers,
  keys: ReadonlyMap<string, Secret>,
): Promise<PlannedFile[]> {
  const files = [
    await plan(root, {
      file: 'site.config.ts',
      text: configFile(answers),
      shipped: [configFile(EXAMPLE)],
    }),
  ];
  const wanted = new Map(keys).set('DEPLOY_TO', new Secret(answers.host));
  const { text, conflicts, changed } = await planEnvFile(path.join(root, '.env'), wanted);
  files.push({
    file: '.env',
    text,
    mode: 0o600,
    state: !changed ? 'unchanged' : 'replaced',
    loses: conflicts.length > 0 ? `${conflicts.join(', ')} in .env` : undefined,
  });
  if (answers.ci !== 'none') {
    const { file, text: workflow, shipped } = await workflowFor(root, answers.ci, answers);
    files.push(await plan(root, { file, text: workflow, shipped: [shipped] }));
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
    why: 'It exists already and is not as this project ships it.',
    fix: 'Give --force to overwrite it, or keep it and edit it by hand.',
  });
}

/** Writes the files of a plan, each whole or not at all; says which. */
export async function writeFiles(root: string, files: readonly PlannedFile[]): Promise<string[]> {
  const told: string[] = [];
  for (const { file, text, mode, state } of files) {
    const target = path.join(root, file);
    await mkdir(path.dirname(target), { recursive: true });
    // Also where the text is the same: the file with the keys must not stay open to others.
    await writeFileAtomic(target, text, { mode });
    told.push(`${file}${state === 'unchanged' ? ' (as it was)' : ''}`);
  }
  return told;
}
