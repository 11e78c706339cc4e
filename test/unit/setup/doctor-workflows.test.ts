import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOST_IDS } from '../../../src/config/hosts.ts';
import { checkWorkflows } from '../../../src/setup/doctor/machine.ts';
import { workflowFor } from '../../../src/setup/workflow.ts';
import { shellText } from '../../support/checkout.ts';
import { EXAMPLE, PROJECT } from '../../support/example-answers.ts';
import { writeFilesBelow } from '../../support/files-below.ts';
import { tempFolder } from '../../support/temp-folder.ts';

type Config = Parameters<typeof checkWorkflows>[1];

/** Findings in a project with this text in a file. */
async function foundIn(
  file: string,
  text: string,
  { env = {}, files = {} as Record<string, string>, config = EXAMPLE as object, at = '' } = {},
) {
  const folder = path.join(tempFolder(), at);
  const manifest = { 'package.json': '{"engines":{"node":">=24"}}' };
  await writeFilesBelow(folder, { ...manifest, [file]: text, ...files });
  if (at !== '') await shellText('git init --quiet', { cwd: path.dirname(folder) });
  const findings = await Array.fromAsync(checkWorkflows(folder, config as Config, env));
  return findings.map(({ code, severity, args }) => [code, severity, args]);
}

describe.each(['github', 'gitlab'] as const)('the workflow that init writes for %s', (ci) => {
  const of = (host: string, project = PROJECT) => workflowFor(ci, { ...EXAMPLE, host }, project);
  const { file, text } = of('netlify');

  it.each(HOST_IDS)('is up to date with this version: %s', async (host) => {
    expect(await foundIn(file, of(host).text)).toEqual([]);
    expect(await foundIn(file, of(host).text, { env: { DEPLOY_TO: host } })).toEqual([]);
  });

  it('may have other line breaks, comments, another schedule and additional lines', async () => {
    const edited = text
      .replace(/^#.*\n/gm, '')
      .replace(/cron: .*/, 'cron: "0 4 * * 1" # on Mondays')
      .replace('jobs:\n', '# ours\njobs:\n  before:\n    runs-on: ubuntu-latest\n')
      .replace('script:\n', 'script:\n    - npm run before\n');
    expect(edited).not.toBe(text);
    expect(await foundIn(file, edited.replaceAll('\n', '\r\n'))).toEqual([]);
  });

  it('is reported if a line is missing or changed, without an error', async () => {
    const lines = text.split('\n');
    const at = lines.findIndex((line) => line.includes('--accept-loss='));
    const first = lines[at]?.trim();
    const finding = ['workflow-differs', 'warning', { file, lines: 1, first }];
    expect(await foundIn(file, lines.toSpliced(at, 1).join('\n'))).toEqual([finding]);
    const changed = lines.with(at, `${lines[at]} --other`).join('\n');
    expect(await foundIn(file, changed)).toEqual([finding]);
  });

  it('is reported below the top folder of a repository: no CI reads it there', async () => {
    const finding = ['workflow-unread', 'warning', { file: `cars/${file}` }];
    expect(await foundIn(file, text, { at: 'cars' })).toEqual([finding]);
  });

  it('is reported if it deploys to another host than .env names', async () => {
    const [[code, , args] = []] = await foundIn(file, text, { env: { DEPLOY_TO: 's3' } });
    expect(code).toBe('workflow-differs');
    expect(args).toMatchObject({ first: 'DEPLOY_TO: s3' });
  });

  it('fits the project: its package manager and reused script names', async () => {
    const pnpm = of('netlify', { ...PROJECT, manager: 'pnpm' });
    const files = { 'pnpm-lock.yaml': '' };
    expect(await foundIn(file, pnpm.text, { files })).toEqual([]);
    expect(await foundIn(file, text, { files })).toHaveLength(1);
    const reused = of('netlify', { ...PROJECT, engines: false, taken: ['build'] });
    const scripts = { 'package.json': '{"scripts":{"build":"astro build"}}' };
    expect(await foundIn(file, reused.text, { files: scripts })).toEqual([]);
  });
});

it('a workflow on GitHub is reported if it lacks the credentials for a stock list', async () => {
  const { file, text } = workflowFor('github', { ...EXAMPLE, host: 'netlify' }, PROJECT);
  const [dealer] = EXAMPLE.dealers;
  const stock = { file: 'https://dms.example/stock.csv', credentialsEnv: 'STOCK_TOKEN' };
  const config = { ...EXAMPLE, dealers: [{ ...dealer, stock }] };
  expect(await foundIn(file, text, { config })).toEqual([
    [
      'workflow-differs',
      'warning',
      { file, lines: 2, first: `STOCK_TOKEN: \${{ secrets.STOCK_TOKEN }}` },
    ],
  ]);
});

it('the workflow for many sites is compared with the configuration of each of its sites', async () => {
  const { file, text } = workflowFor('sites', { ...EXAMPLE, host: 'netlify' }, PROJECT);
  const root = tempFolder();
  await writeFilesBelow(root, { 'package.json': '{"engines":{"node":">=24"}}', [file]: text });
  const found = (folder: string, env = {}) =>
    Array.fromAsync(checkWorkflows(path.join(root, folder), EXAMPLE as object as Config, env));
  expect(await found('sites')).toEqual([]);
  expect(await found('.', { DEPLOY_TO: 's3' })).toEqual([]);
  const [{ code, args, fix } = {}] = await found('sites', { DEPLOY_TO: 's3' });
  expect([code, args]).toMatchObject(['workflow-differs', { file, first: 'DEPLOY_TO: s3' }]);
  // init --force does not rewrite it.
  expect(fix).not.toContain('init');
});
