import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { became, CHANGES, changeOf } from '../../config/changes.ts';
import { ConfigError } from '../../errors.ts';
import { readIfThere } from '../../lib/files/read.ts';
import { filesBelow, folderExists } from '../../render/theme/folder.ts';
import { TEMPLATES } from '../../render/theme/theme.ts';
import { type Finding, finding } from '../findings.ts';
import { mergeOriginal, withPlainBreaks } from './merge.ts';

/** Writes a file of a project, absolute, and says which, and where the copy is that was kept of it. */
export type Write = (file: string, text: string) => Promise<string>;

/** Folder of a theme with our files as they were when somebody copied them; the theme does not read it. */
export const ORIGINALS = '.originals';

export interface OriginalsOptions {
  /** Folder of the theme, absolute. */
  theme: string;
  /** Folder that paths are told from, absolute. */
  root: string;
  /** Writes what is safe; undefined where nothing is to be written. */
  write: Write | undefined;
  /** Folder of our own files. */
  templates?: string;
}

const same = (a: string, b: string): boolean => withPlainBreaks(a) === withPlainBreaks(b);

const told = (root: string, file: string): string =>
  path.relative(root, file).split(path.sep).join('/');

async function checkOne(
  name: string,
  file: string,
  now: string | undefined,
  { theme, root, write }: OriginalsOptions,
): Promise<Finding[]> {
  const original = path.join(theme, ORIGINALS, name);
  const former = CHANGES.find(({ kind, to }) => kind === 'template' && to === name)?.from;
  const noted = [original, ...(former === undefined ? [] : [path.join(theme, ORIGINALS, former)])];
  const base = noted
    .map(readIfThere)
    .find((bytes) => bytes !== undefined)
    ?.toString();
  const shown = told(root, file);
  if (now === undefined) {
    // What never had an original is a person's own.
    const change = changeOf('template', name);
    if (base === undefined && !change) return [];
    const gone = change
      ? { became: `${name} ${became(change)}.`, ...(change.to !== undefined && { to: change.to }) }
      : {};
    return [finding('original-changed', { file: shown, state: 'gone', diff: '', ...gone })];
  }
  if (base !== undefined && same(base, now)) return [];
  const mine = await readFile(file, 'utf8');
  if (same(mine, now)) {
    await write?.(original, now);
    return [];
  }
  if (base === undefined) return [finding('original-unknown', { file: shown })];
  const { state, text, diff } = await mergeOriginal(mine, base, now);
  if (state !== 'clean' || !write) {
    return [finding('original-changed', { file: shown, state, diff })];
  }
  const what = mine === text ? shown : await write(file, text);
  await write(original, now);
  return [finding('upgraded', { what })];
}

/** Which files of a theme take the place of ours that changed since they were copied. */
export async function checkOriginals(options: OriginalsOptions): Promise<Finding[]> {
  const { theme, templates = TEMPLATES } = options;
  if (!(await folderExists(theme))) return [];
  const ours = await filesBelow(templates);
  const findings: Finding[] = [];
  for (const [name, file] of await filesBelow(theme)) {
    const original = ours.get(name);
    const now = original === undefined ? undefined : await readFile(original, 'utf8');
    findings.push(...(await checkOne(name, file, now, options)));
  }
  return findings;
}

async function originalOf(name: string, templates: string): Promise<string> {
  const ours = await filesBelow(templates);
  const file = ours.get(name);
  if (file !== undefined) return readFile(file, 'utf8');
  throw new ConfigError({
    code: 'upgrade-name',
    what: `There is no file ${name} of ours.`,
    why: `There is ${[...ours.keys()].join(', ')}.`,
    fix: 'Name one of these.',
  });
}

/**
 * Takes a file of ours into a theme, and notes what it looked like.
 *
 * @throws {ConfigError} there is none of this name, or the theme has one.
 */
export async function copyOriginal(
  name: string,
  { theme, root, templates = TEMPLATES }: Omit<OriginalsOptions, 'write'>,
  write: Write,
): Promise<Finding> {
  const text = await originalOf(name, templates);
  const file = path.join(theme, name);
  if (readIfThere(file) !== undefined) {
    throw new ConfigError({
      code: 'upgrade-copy',
      what: `${told(root, file)} is there already; nothing was written.`,
      fix: 'Edit that file, or move it away first.',
    });
  }
  const what = await write(file, text);
  await write(path.join(theme, ORIGINALS, name), text);
  return finding('upgraded', { what });
}

/**
 * Notes that a file of a theme has all that its original has now.
 *
 * @param file absolute.
 * @throws {ConfigError} it takes the place of none of ours.
 */
export async function noteMerged(
  file: string,
  { theme, templates = TEMPLATES }: Omit<OriginalsOptions, 'write'>,
  write: Write,
): Promise<Finding> {
  const name = told(theme, file);
  if (readIfThere(file) === undefined) {
    throw new ConfigError({
      code: 'upgrade-name',
      what: `There is no file ${file}.`,
      why: 'What --merged names is a file of the theme.',
      fix: 'Name it from this folder, such as theme/partials/card.njk.',
    });
  }
  const text = await originalOf(name, templates);
  return finding('upgraded', { what: await write(path.join(theme, ORIGINALS, name), text) });
}
