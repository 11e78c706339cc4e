import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { deployTarget } from '../../config/environment.ts';
import { HOST_IDS } from '../../config/hosts.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { type Finding, finding } from '../findings.ts';
import { hostIn, type WithWorkflow, WORKFLOWS } from '../workflow/files.ts';
import { readProject } from '../workflow/project.ts';
import { keyNames, workflowOf } from '../workflow/workflow.ts';

/** The lines that a CI acts on: without comments, blank lines and the schedule, which is yours. */
const effective = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.replace(/(?:^|\s)\s*#.*$/, '').trimEnd())
    .filter((line) => line !== '' && !/^\s*(?:- )?cron:/.test(line));

/** Lines of one text that another one does not have in the same order. */
function missingIn(wanted: readonly string[], given: readonly string[]): string[] {
  // common[i][j]: length of the longest sequence that wanted from i and given from j have in common.
  const common = Array.from({ length: wanted.length + 1 }, () =>
    new Array<number>(given.length + 1).fill(0),
  );
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = wanted.length - 1; i >= 0; i--) {
    for (let j = given.length - 1; j >= 0; j--) {
      const row = common[i] as number[];
      row[j] = wanted[i] === given[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const missing: string[] = [];
  for (let i = 0, j = 0; i < wanted.length; ) {
    if (wanted[i] === given[j]) [i, j] = [i + 1, j + 1];
    else if (j < given.length && at(i, j + 1) >= at(i + 1, j)) j++;
    else missing.push(wanted[i++] ?? '');
  }
  return missing;
}

/**
 * Compares the files that rebuild a project with those that this version writes. Another schedule,
 * comments and added lines are not reported.
 *
 * @param root folder of the project.
 */
export async function checkWorkflows(
  root: string,
  { dealers }: Pick<LoadedConfig, 'dealers'>,
  env?: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [ci, { file }] of Object.entries(WORKFLOWS)) {
    const given = await readFile(path.join(root, file), 'utf8').catch(() => undefined);
    if (given === undefined) continue;
    // On a machine without .env the file itself names the host.
    const host = [deployTarget(env), hostIn(given)].find((id) => HOST_IDS.includes(id ?? ''));
    const { text } = workflowOf(ci as WithWorkflow, {
      keys: keyNames(dealers),
      host: host ?? 'none',
      minute: 0,
      project: await readProject(root),
    });
    const missing = missingIn(effective(text), effective(given));
    const [first] = missing;
    if (first === undefined) continue;
    findings.push(
      finding('workflow-differs', { file, lines: missing.length, first: first.trim() }),
    );
  }
  return findings;
}
