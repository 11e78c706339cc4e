import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownRepository, WORKFLOWS } from '../../../src/setup/called-workflows.ts';
import { checkWorkflows } from '../../../src/setup/doctor/workflows.ts';
import { workflowFor } from '../../../src/setup/init/workflow.ts';
import { temporaryFolder } from '../../support/build.ts';
import { EXAMPLE } from '../../support/example-answers.ts';

const GITHUB = WORKFLOWS.github.file;
const GITLAB = WORKFLOWS.gitlab.file;

/** What is found in a project that has this text in a file. */
async function foundIn(file: string, text: string, wanted?: string) {
  await using folder = await temporaryFolder();
  await mkdir(path.dirname(path.join(folder.path, file)), { recursive: true });
  await writeFile(path.join(folder.path, file), text);
  const findings = await checkWorkflows(folder.path, wanted);
  return findings.map(({ code, args }) => [code, args]);
}

describe.each(['github', 'gitlab'] as const)('the workflow that init writes for %s', (ci) => {
  const { file, text } = workflowFor(ci, EXAMPLE);

  it('is that of the version which is installed', async () => {
    expect(await foundIn(file, text)).toEqual([]);
    expect(await foundIn(file, text.replaceAll('\n', '\r\n'))).toEqual([]);
  });

  it('is outdated for another major version', async () => {
    expect(await foundIn(file, text, 'v7')).toEqual([
      ['workflow-outdated', { file, calls: 'v0', wanted: 'v7' }],
    ]);
  });
});

describe('a workflow of GitHub', () => {
  const calling = (version: string) =>
    `jobs:\n  site:\n    uses: ${ownRepository()}/.github/workflows/site-sharded.yml@${version}\n`;
  const using = (version: string) => `steps:\n  - uses: '${ownRepository()}@${version}' # ours\n`;

  it.each([
    ['another major version', calling('v1'), 'v1'],
    ['an exact version of another', calling('v1.2.3'), 'v1.2.3'],
    ['the action of another', using('v10'), 'v10'],
    ['two, of which one is another', calling('v2') + using('v3'), 'v3'],
  ])('is outdated where it calls %s', async (_, text, calls) => {
    expect(await foundIn(GITHUB, text, 'v2')).toEqual([
      ['workflow-outdated', { file: GITHUB, calls, wanted: 'v2' }],
    ]);
  });

  it.each([
    ['this version', calling('v2')],
    ['an exact version of this', using('v2.0.1')],
    ['a commit that somebody pinned', calling('3d3c42e5aac5ba805825da76410c181273ba90b1')],
    ['a branch', calling('main')],
    ['what others made', 'steps:\n  - uses: somebody/else@v1\n'],
    ['another in a comment', `# uses: ${ownRepository()}@v1\n`],
  ])('is not where it calls %s', async (_, text) => {
    expect(await foundIn(GITHUB, text, 'v2')).toEqual([]);
  });

  it('is told where it is a whole copy of an earlier one', async () => {
    const whole = `env:\n  THIN: \${{ contains(fromJSON('["s3"]'), vars.DEPLOY_TO) }}\njobs: {}\n`;
    const made = '# Rebuilds the site.\n# Made by `npm run init`; docs/hosting.md says more.\n';
    for (const text of [whole, made]) {
      expect(await foundIn(GITHUB, text, 'v2')).toEqual([
        ['workflow-whole', { file: GITHUB, wanted: 'v2' }],
      ]);
    }
    expect(await foundIn(GITLAB, made, 'v2')).toEqual([
      ['workflow-whole', { file: GITLAB, wanted: 'v2' }],
    ]);
  });

  it('need not be there', async () => {
    await using folder = await temporaryFolder();
    expect(await checkWorkflows(folder.path)).toEqual([]);
  });
});
