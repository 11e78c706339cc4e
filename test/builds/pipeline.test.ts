import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { HOST_IDS, HOSTS, hostOf } from '../../src/config/hosts.ts';
import { workflowFor } from '../../src/setup/workflow.ts';
import { EXAMPLE, PROJECT } from '../support/example-answers.ts';
import { pipelineIn, readPipeline } from '../support/gitlab-schema.ts';
import { tempFolder } from '../support/temp-folder.ts';

const textFor = (host: string) => workflowFor('gitlab', { ...EXAMPLE, host }, PROJECT).text;
const THIN = HOSTS.filter(({ form }) => form === 'thin').map(({ id }) => id);

/** The pipeline of a project with this file. */
async function readText(content: string) {
  const folder = tempFolder();
  await promisify(execFile)('git', ['init', '--quiet', folder]);
  await writeFile(path.join(folder, '.gitlab-ci.yml'), content);
  return await readPipeline(folder);
}

describe('the pipeline for GitLab', () => {
  it.each(['cloudflare', 'gitlab', 's3', 'folder', 'none'])(
    "fits GitLab's schema and deploys only to its host: %s",
    async (host) => {
      const pipeline = await readText(textFor(host));
      // All other hosts get the site from the job build: GitLab accepts only small artifacts.
      const deploy = host === 'gitlab' ? ['deploy'] : [];
      expect(pipeline.jobs).toEqual(['build', ...deploy, 'attention']);
      const { build, deploy: pages } = pipelineIn(textFor(host));
      expect(pages?.pages).toBe(host === 'gitlab' || undefined);
      expect(build.artifacts.paths).toEqual([
        ...(['gitlab', 'none'].includes(host) ? ['_site/'] : []),
        'build-report.json',
      ]);
      const noInput = { WHOLE: 'no', ACCEPT_LOSS: '', HIDE_NOW: '' };
      expect(pipeline.variables).toEqual({ DEPLOY_TO: host, ...noInput });
    },
  );

  it('fails the schema if it is wrong', async () => {
    const wrong = textFor('s3').replace('artifacts:', 'artefacts:');
    await expect(readText(wrong)).rejects.toThrow('artefacts');
  });

  it.each(HOST_IDS)('includes no other file and names the variables for %s', (host) => {
    const text = textFor(host);
    expect(Object.keys(pipelineIn(text))).not.toContain('include');
    const { secrets = [], variables = [] } = hostOf(host) ?? {};
    for (const name of ['MEDIA_API_KEY', 'SITE_SECRET', ...secrets, ...variables]) {
      expect(text).toContain(name);
    }
  });

  it('starts by schedule and manually, never by a push', () => {
    expect(pipelineIn(textFor('s3')).workflow.rules).toEqual([
      { if: '$CI_PIPELINE_SOURCE =~ /^(schedule|web|trigger|api|pipeline)$/' },
    ]);
  });

  it('keeps thumbnails only for hosts that get the full site', () => {
    for (const host of HOST_IDS) {
      const { build } = pipelineIn(textFor(host));
      expect(build.cache !== undefined, host).toBe(!THIN.includes(host));
    }
  });

  it('runs the same tools as the workflow for GitHub', () => {
    const tools = (ci: 'github' | 'gitlab') =>
      (['npm', 'pnpm', 'yarn'] as const).flatMap((manager) =>
        HOST_IDS.flatMap((host) => {
          const { text } = workflowFor(ci, { ...EXAMPLE, host }, { ...PROJECT, manager });
          return text.match(/npx --yes [\w-]+@\d+\.\d+\.\d+/g) ?? [];
        }),
      );
    expect(new Set(tools('gitlab'))).toEqual(new Set(tools('github')));
    expect(new Set(tools('gitlab')).size).toBe(2);
  });
});
