import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { HOSTS } from '../../src/config/hosts.ts';
import { workflowFor } from '../../src/setup/init/workflow.ts';
import { temporaryFolder } from '../support/build.ts';
import { EXAMPLE } from '../support/example-answers.ts';
import { jobsThatRun, readPipeline } from '../support/gitlab-job.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const text = (file: string) => readFile(path.join(ROOT, file), 'utf8');
const github = await text('.github/workflows/site.yml');
const gitlab = await text('ci/gitlab.yml');
const action = await text('action.yml');

/** Hosts of `npm run deploy`, in the order of the workflows. */
const THIN = HOSTS.filter(({ form }) => form === 'thin').map(({ id }) => id);

describe('the pipeline for GitLab', () => {
  const inRepository = async (content: string, work: (folder: string) => Promise<void>) => {
    await using folder = await temporaryFolder();
    await promisify(execFile)('git', ['init', '--quiet', folder.path]);
    await writeFile(path.join(folder.path, '.gitlab-ci.yml'), content);
    await work(folder.path);
  };
  const own = workflowFor('gitlab', EXAMPLE).text;

  it("fits GitLab's schema, and has the same tools as the one for GitHub", () =>
    inRepository(own, async (folder) => {
      const jobs = await readPipeline(folder);
      expect(Object.keys(jobs)).toEqual(
        expect.arrayContaining(['build', 'deploy', 'cloudflare', 'pages']),
      );
      const tools = (content: string) =>
        [...new Set(content.match(/[\w-]+@\d+\.\d+\.\d+/g) ?? [])].sort();
      expect(tools(gitlab)).toEqual(tools(github + action));
    }));

  it('would be found to be wrong', () =>
    inRepository(gitlab.replace('artifacts:', 'artefacts:'), async (folder) => {
      await expect(readPipeline(folder)).rejects.toThrow('artefacts');
    }));

  it.each<[deployTo: string, source: string, jobs: string[]]>([
    ['cloudflare', 'schedule', ['build', 'cloudflare', 'attention']],
    ['gitlab', 'trigger', ['build', 'pages', 'attention']],
    ...THIN.map((id): [string, string, string[]] => [id, 'web', ['build', 'deploy', 'attention']]),
    ['none', 'schedule', ['build', 'attention']],
  ])('DEPLOY_TO=%s, started by %s: %o', (deployTo, source, jobs) =>
    inRepository(own, async (folder) => {
      await readPipeline(folder);
      expect(await jobsThatRun(folder, deployTo, source)).toEqual(jobs);
    }),
  );
});
