import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { deployTarget } from '../../config/environment.ts';
import { HOST_IDS } from '../../config/hosts.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { type Finding, finding } from '../findings.ts';
import { readProject } from '../project.ts';
import { hostIn, type WithWorkflow, WORKFLOWS, workflowFor } from '../workflow/workflow.ts';

/** The lines that a CI acts on: without comments, blank lines and the schedule, which is yours. */
const effective = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.replace(/(?:^|\s)\s*#.*$/, '').trimEnd())
    .filter((line) => line !== '' && !/^\s*(?:- )?cron:/.test(line));

/** Lines of one text that another one has less often. */
function missingIn(wanted: readonly string[], given: readonly string[]): string[] {
  const left = [...given];
  return wanted.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/**
 * Compares the files that rebuild a project with those that this version writes. Another schedule,
 * comments and added lines are not reported.
 *
 * @param root folder of the project.
 */
export async function checkWorkflows(
  root: string,
  { dealers, site }: Pick<LoadedConfig, 'dealers' | 'site'>,
  env?: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [ci, { file }] of Object.entries(WORKFLOWS)) {
    const given = await readFile(path.join(root, file), 'utf8').catch(() => undefined);
    if (given === undefined) continue;
    // On a machine without .env the file itself names the host.
    const host = [deployTarget(env), hostIn(given)].find((id) => HOST_IDS.includes(id ?? ''));
    const wanted = { url: site.url, dealers, host: host ?? 'none' };
    const { text } = workflowFor(ci as WithWorkflow, wanted, await readProject(root));
    const missing = missingIn(effective(text), effective(given));
    const [first] = missing;
    if (first === undefined) continue;
    const args = { file, lines: missing.length, first: first.trim() };
    findings.push(
      finding(
        'workflow-differs',
        args,
        `${file} is not the workflow that this version writes. Lines that are missing or changed: ${args.lines}. The first is: ${args.first}`,
      ),
    );
  }
  return findings;
}
