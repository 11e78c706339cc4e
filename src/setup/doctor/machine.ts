/** Checks of the machine and of the project's folder. */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { deployTarget } from '../../config/environment.ts';
import { HOST_IDS } from '../../config/hosts.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { cacheNamed, checkUsable, outputNamed } from '../../lib/files/folder-lock.ts';
import { freeSpaceOf } from '../../lib/files/system-errors.ts';
import { bytesText } from '../../lib/terminal/progress.ts';
import { checkFolders, checkReport, refuseLinks } from '../../publish/folder-checks/check.ts';
import { type Check, type Finding, finding, fromErrors } from '../findings.ts';
import { gitIn } from '../git.ts';
import { readProject } from '../project.ts';
import { hostIn, WORKFLOWS, workflowFor } from '../workflow.ts';

/** Whether git would add a file. False without git or a repository. */
async function isTracked(file: string): Promise<boolean> {
  return gitIn(path.dirname(file))('check-ignore', '--quiet', file).then(
    () => false,
    // 1: not ignored. Other codes: no git, or no repository.
    ({ code }: { code?: unknown }) => code === 1,
  );
}

/** Checks that only the owner can read the file with the keys, and that git ignores it. */
export async function* checkEnvFile(file: string): Check {
  const stats = await stat(file).catch(() => undefined);
  if (!stats) return;
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    const mode = `0${(stats.mode & 0o777).toString(8)}`;
    const what = `.env can be read by others on this machine (mode ${mode}).`;
    yield finding('env-open', { mode }, what);
  }
  if (await isTracked(file)) yield finding('env-tracked', {}, 'git does not ignore .env.');
}

/** Bytes that a build needs in addition to the site. */
const SPARE = 500_000_000;

/** Every build writes more bytes, even if nothing changed. */
const LEAST = 1_000_000;

/**
 * Checks the space on the disks of folders.
 *
 * @param siteBytes a site must fit: its thumbnails in the cache, and their copies if the published folder cannot share
 * them. Undefined before its size is known: then only a full disk is reported.
 */
export function* checkDisk(folders: readonly string[], siteBytes?: number): Iterable<Finding> {
  const [code, needed] =
    siteBytes === undefined
      ? (['disk-full', LEAST] as const)
      : (['disk-low', siteBytes * 2 + SPARE] as const);
  const disks = folders.map((folder) => {
    const { bytes, files } = freeSpaceOf(folder);
    return { folder, free: files === 0 ? 0 : bytes };
  });
  const [disk] = disks.sort((a, b) => a.free - b.free);
  if (!disk || disk.free >= needed) return;
  const what = `${bytesText(disk.free)} are free on the disk of ${disk.folder}. A build may need ${bytesText(needed)}.`;
  yield finding(code, { ...disk, needed }, what);
}

/** Paths that a build writes to, absolute. */
export interface Places {
  output: string;
  cacheDir: string;
  report: string;
}

/** Checks that a build may replace its folders and write its report. Changes nothing. */
export async function* checkPlaces(
  config: LoadedConfig,
  { output, cacheDir, report }: Places,
): Check {
  yield* fromErrors('places-wrong', async () => {
    refuseLinks(cacheDir);
    const { work } = checkFolders({ config, output, cacheDir });
    checkUsable(work, outputNamed(output));
    checkUsable(cacheDir, cacheNamed(cacheDir));
  });
  yield* fromErrors('places-wrong', () => checkReport(report, output, { leaveFolder: false }));
}

/** The lines that affect a CI: without comments, blank lines and the schedule, which users choose. */
const effective = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.replace(/(?:^|\s)\s*#.*$/, '').trimEnd())
    .filter((line) => line !== '' && !/^\s*(?:- )?cron:/.test(line));

/** The lines that another text does not have, or has less often. */
function missingIn(lines: readonly string[], otherLines: readonly string[]): string[] {
  const unmatched = [...otherLines];
  return lines.filter((line) => {
    const at = unmatched.indexOf(line);
    if (at >= 0) unmatched.splice(at, 1);
    return at < 0;
  });
}

/**
 * Compares a project's workflows with the workflows that this version writes. Ignores the schedule, comments and
 * added lines.
 *
 * @param folder the configuration is in it: the project, or its folder `sites/`.
 */
export async function* checkWorkflows(
  folder: string,
  { dealers, site }: Pick<LoadedConfig, 'dealers' | 'site'>,
  env: NodeJS.ProcessEnv,
): Check {
  for (const ci of ['github', 'gitlab', 'sites'] as const) {
    if (ci === 'sites' && path.basename(folder) !== 'sites') continue;
    const root = ci === 'sites' ? path.dirname(folder) : folder;
    const file = WORKFLOWS[ci];
    const currentText = await readFile(path.join(root, file), 'utf8').catch(() => undefined);
    if (currentText === undefined) continue;
    const below = await gitIn(root)('rev-parse', '--show-prefix').catch(() => '');
    const place = `${below}${file} is not in the top folder of its git repository.`;
    if (below !== '') yield finding('workflow-unread', { file: below + file }, place);
    // Without .env, the file itself names the host.
    const host = [deployTarget(env), hostIn(currentText)].find((id) => HOST_IDS.includes(id ?? ''));
    const expectedSite = { site, dealers, host: host ?? 'none' };
    const { text } = workflowFor(ci, expectedSite, await readProject(root));
    const missing = missingIn(effective(text), effective(currentText));
    const [first] = missing;
    if (first === undefined) continue;
    const args = { file, lines: missing.length, first: first.trim() };
    const what = `${file} is not the workflow that this version writes. Lines that are missing or changed: ${args.lines}. The first is: ${args.first}`;
    // init rewrites only the workflow for one site.
    const fix = 'If you changed it on purpose, do nothing. Otherwise correct these lines.';
    yield finding('workflow-differs', args, what, ci === 'sites' ? { fix } : {});
  }
}
