import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { majorTag, ownRepository, WORKFLOWS } from '../called-workflows.ts';
import { type Finding, finding } from '../findings.ts';

/** What only a workflow has that was a whole copy of ours, before there was one to call. */
const WHOLE = /^# Made by `npm run init`|^ {2}THIN: \$\{\{ contains\(fromJSON\(/m;

/** Versions of our workflows that a file calls or includes: `v1`, `v1.2.3`, or a commit. */
function calledVersions(text: string): string[] {
  const own = ownRepository().replaceAll('.', '\\.');
  const called = new RegExp(
    `^[^#\\n]*(?:uses: *["']?${own}(?:/[\\w./-]+)?@|githubusercontent\\.com/${own}/(?:refs/tags/)?)([\\w.-]+)`,
    'gm',
  );
  return [...text.matchAll(called)].map(([, version = '']) => version);
}

/**
 * Whether the files that rebuild a project call the workflows of the version that is installed. A commit
 * that somebody pinned is their own choice, and so is a workflow that calls none of ours.
 *
 * @param root folder of the project.
 * @param wanted tag of the major version that is installed.
 */
export async function checkWorkflows(root: string, wanted = majorTag()): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { file } of Object.values(WORKFLOWS)) {
    const text = await readFile(path.join(root, file), 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const others = calledVersions(text).filter(
      (version) => /^v\d+(?:\.|$)/.test(version) && version.split('.')[0] !== wanted,
    );
    const [calls] = others;
    if (calls !== undefined) findings.push(finding('workflow-outdated', { file, calls, wanted }));
    else if (WHOLE.test(text)) findings.push(finding('workflow-whole', { file, wanted }));
  }
  return findings;
}
