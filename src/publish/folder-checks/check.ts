import { lstatSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { LoadedConfig } from '../../config/load.ts';
import { ConfigError, GateError } from '../../errors.ts';
import { claimFolder, type Refusal, refuseFolder } from '../../lib/files/claim.ts';
import { entriesOf } from '../../lib/files/entries-of.ts';
import { cacheNamed, lockFolder, outputNamed, usable } from '../../lib/files/folder-lock.ts';
import { holds, overlap, resolveLinks } from '../../lib/files/paths.ts';
import { readIfThere } from '../../lib/files/read.ts';
import { reasonOf, refuseOpenFiles } from '../../lib/files/system-errors.ts';
import { makeFolder } from '../../lib/files/write.ts';
import { matchingJson } from '../../lib/json.ts';
import { themeFolder } from '../../render/theme/theme.ts';
import type { RunOptions } from '../options/run-options.ts';
import { whyImmovable, workFolder } from '../output/swap.ts';
import { checkChangesFolder, checkSiteFolder, isUntouchedSite } from './site-folder.ts';

type Place = Pick<LoadedConfig, 'site' | 'file'>;

const OUTPUT: Refusal = {
  code: 'output-not-ours',
  name: 'The output folder',
  fix: 'Choose another folder with --output, preferably a new one.',
};

/** The working folder next to the output. A user's folder may have the same name. */
const WORK: Refusal = {
  code: 'output-not-ours',
  name: 'The working folder',
  fix: 'Move it away if it is yours, remove it if it is not, or name another output folder with --output.',
};

const CACHE: Refusal = {
  code: 'cache-not-ours',
  name: 'The cache folder',
  fix: 'Choose another folder with --cache, preferably a new one.',
};

/** @throws {ConfigError} the folder is or contains part of a project. */
function refuseProject(folder: string, config: Place, refusal: Refusal): void {
  const project = {
    'the working directory': process.cwd(),
    'the folder of the configuration': path.dirname(config.file),
    'the theme': themeFolder(config),
  };
  for (const [description, place] of Object.entries(project)) {
    if (holds(folder, place)) refuseFolder(folder, refusal, `It is or holds ${description}.`);
  }
  if (holds(project['the theme'], folder)) {
    refuseFolder(folder, refusal, 'It is in the theme.');
  }
}

function checkCache(cacheDir: string, config: Place): () => void {
  const folder = resolveLinks(cacheDir);
  refuseProject(folder, config, CACHE);
  return claimFolder(folder, { ...CACHE, kind: 'cache' });
}

/** Writable folders of the cache. Thumbnails are one level deeper, see images/stores/folder.ts. */
const FOLDERS = ['', 'service', 'stock', 'media', 'media/files', 'records'];

/**
 * Refuses a cache with symbolic links, because this program never creates any. A cache from another machine (CI
 * restores it between runs) could use them to make a build overwrite or publish any file of this machine.
 *
 * @throws {GateError} there is a symbolic link.
 */
export function refuseLinks(cacheDir: string): void {
  for (const folder of FOLDERS) {
    const entries = entriesOf(path.join(cacheDir, folder), folder === 'records');
    const link = entries.find((entry) => entry.isSymbolicLink());
    if (!link) continue;
    throw new GateError({
      code: 'cache-holds-link',
      what: `The cache holds a symbolic link: ${path.join(link.parentPath, link.name)}.`,
      why: 'Builds never create links, and writing through one could change any file of this machine.',
      fix: 'Find out who put it there, then delete the cache folder.',
    });
  }
}

/**
 * Claims the cache folder of a configuration, because builds replace and delete files in it.
 *
 * @throws {ConfigError} it contains user files or a project. Nothing was changed.
 * @throws {GateError} it contains symbolic links.
 */
export function claimCache(cacheDir: string, config: Place): void {
  usable(cacheNamed(cacheDir), () => checkCache(cacheDir, config)());
  refuseLinks(cacheDir);
}

/** Claims the folder of the demo. @throws {ConfigError} it contains user files. Nothing was changed. */
export function claimDemo(demo: string): void {
  claimFolder(resolveLinks(demo), {
    code: 'demo-not-ours',
    name: 'The folder',
    fix: 'Move its files elsewhere. npm start can use another folder (--folder).',
    kind: 'demo',
  })();
}

/**
 * Checks whether a build may replace its folders. Changes nothing.
 *
 * @returns the output folder with symbolic links resolved, its working folder, and a function that claims them and
 *   the cache. Call it first. It throws if the output folder cannot be replaced. `markCache` only marks the cache.
 * @throws {ConfigError} a folder contains user files.
 */
export function checkFolders({
  config,
  output: named,
  cacheDir,
  form,
}: Pick<RunOptions, 'output' | 'cacheDir' | 'form'> & { config: Place }) {
  const output = resolveLinks(path.resolve(named));
  const work = workFolder(output);
  refuseProject(output, config, OUTPUT);
  const markCache = usable(cacheNamed(cacheDir), () => checkCache(cacheDir, config));
  const why = 'It is, contains or is in the cache.';
  if (overlap(output, cacheDir)) refuseFolder(output, OUTPUT, why);
  if (overlap(work, cacheDir)) refuseFolder(work, WORK, why);
  const markWork = usable(outputNamed(output), () => {
    if (form === 'thin') checkChangesFolder(output);
    else if (!isUntouchedSite(output)) checkSiteFolder(output);
    return claimFolder(work, { ...WORK, kind: 'work' });
  });
  const claim = (): void => {
    usable(outputNamed(output), () => {
      markWork();
      refuseImmovable(output, work);
    });
    usable(cacheNamed(cacheDir), markCache);
  };
  return { output, work, claim, markCache };
}

/** Tries the rename that publishing needs. @throws {ConfigError} it would fail. */
function refuseImmovable(output: string, work: string): void {
  if (!statSync(output, { throwIfNoEntry: false })) return;
  const code = whyImmovable(output, work);
  if (code === undefined) return;
  const isMount = code === 'EBUSY' || code === 'EXDEV';
  throw new ConfigError({
    code: 'output-immovable',
    what: `The output folder ${output} cannot be replaced (${code}).`,
    why: isMount
      ? 'A file system is mounted there, so no other folder can take its place.'
      : 'The system does not allow moving it.',
    fix: isMount
      ? 'Use a folder below it with --output, and serve that one.'
      : `Give the user of this command write permission for it and for ${path.dirname(output)}.`,
  });
}

/** The fields by which a report of any version is recognised. */
const reportSchema = z.object({ outcome: z.string(), exitCode: z.number() });

/**
 * Checks whether a report may be written, and that it can be, by writing a file: on some file systems, permissions do
 * not decide.
 *
 * @param output the published folder, which may be missing.
 * @param leaveFolder whether a newly created folder stays.
 * @throws {ConfigError} a user file has that name, the report would be published, or it cannot be written.
 */
export function checkReport(report: string, output: string, { leaveFolder = true } = {}): void {
  const folder = resolveLinks(output);
  // If the output contains the working directory, another check reports that.
  const isPublished = [folder, workFolder(folder)].some((one) => holds(one, report));
  if (isPublished && !holds(folder, process.cwd())) {
    throw new ConfigError({
      code: 'report-not-ours',
      what: `The report ${report} would be published.`,
      why: 'A build replaces the complete folder, and everyone could read the report.',
      fix: 'Name a file elsewhere with --report.',
    });
  }
  const probe = `${report}.${process.pid}.tmp`;
  try {
    if (!isFree(report) && !matchingJson(readIfThere(report) ?? '', reportSchema)) {
      throw new ConfigError({
        code: 'report-not-ours',
        what: `The report would replace the file ${report}, which this program did not write.`,
        why: 'Its content would be lost.',
        fix: 'Name another file with --report, or move that one away.',
      });
    }
    const newFolders = makeFolder(path.dirname(path.resolve(report)));
    const status = statSync(report, { throwIfNoEntry: false });
    if (status?.isDirectory()) throw failure('EISDIR');
    if (status && !status.isFile()) throw failure('EEXIST');
    writeFileSync(probe, '', { flag: 'wx' });
    rmSync(probe);
    if (!leaveFolder) for (const folder of newFolders.reverse()) rmdirSync(folder);
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    refuseOpenFiles(cause);
    throw new ConfigError({
      code: 'report-unusable',
      what: `The report ${report} cannot be written.`,
      why: reasonOf(cause),
      fix: 'Fix it, or name another file with --report. The published site is unchanged.',
      cause,
    });
  }
}

/** Whether writing to that name loses nothing. A symbolic link without a target would be lost. */
function isFree(file: string): boolean {
  let isLink = false;
  try {
    isLink = lstatSync(file).isSymbolicLink();
    const status = statSync(file, { throwIfNoEntry: false });
    if (isLink && !status) return false;
    // Special files such as /dev/stdout have no content to lose.
    return !status?.isFile() || status.size === 0;
  } catch {
    // Refuses a symbolic link to itself. In other cases, writing the file reports the error.
    return !isLink;
  }
}

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** Locks a published folder for one build, see {@link lockFolder}. */
export const lockOutput = (output: string): Disposable =>
  lockFolder(workFolder(output), outputNamed(output));
