import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../support/build.ts';
import { freshClone, shell } from '../support/checkout.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let project: string;
let version: string;
const steps = new Map<string, string>();

/** Fake `gh` command that logs its calls. No release exists yet. */
const GH = `#!/bin/sh
echo "$*" >> "$GH_CALLS"
case "$*" in "release view"*) exit 1;; esac
`;

/** Runs a step of the workflow in the clone. It packs instead of publishing. */
const run = (name: string, env: Record<string, string> = {}) =>
  shell(steps.get(name) ?? 'false', {
    cwd: project,
    env: {
      TAG: `v${version}`,
      GITHUB_REPOSITORY: 'cars/generator',
      GH_CALLS: path.join(folder.path, 'calls'),
      npm_config_dry_run: 'true',
      ...env,
    },
    path: [path.join(folder.path, 'bin'), path.dirname(process.execPath)],
  });

beforeAll(async () => {
  folder = await temporaryFolder();
  project = path.join(folder.path, 'project');
  await freshClone(project, 'linked');
  const workflow = parse(
    await readFile(path.join(project, '.github/workflows/release.yml'), 'utf8'),
  );
  const { pack, publish } = workflow.jobs;
  for (const step of [...pack.steps, ...publish.steps])
    if (step.run) steps.set(step.name, step.run);
  ({ version } = JSON.parse(await readFile(path.join(project, 'package.json'), 'utf8')));
  await mkdir(path.join(folder.path, 'bin'));
  await writeFile(path.join(folder.path, 'bin/gh'), GH);
  await chmod(path.join(folder.path, 'bin/gh'), 0o755);
  const file = path.join(project, 'CHANGELOG.md');
  const changelog = await readFile(file, 'utf8');
  const heading = `## [Unreleased]\n\n## [${version}]\n\n- The first one.\n`;
  await writeFile(file, changelog.replace('## [Unreleased]\n', heading));
});
afterAll(() => folder?.[Symbol.asyncDispose]());

it('takes its notes from the changelog and refuses a tag of another version', async () => {
  const ran = await run('Notes');
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  expect(await readFile(path.join(project, 'notes.md'), 'utf8')).toContain('- The first one.');
  const refused = await run('Notes', { TAG: 'v99.0.0' });
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('[release-disagrees]');
});

it('packs the package and publishes both packages with their provenance', async () => {
  const packed = await run('Package', { npm_config_dry_run: 'false' });
  expect(packed, packed.stderr).toMatchObject({ exitCode: 0 });
  const ran = await run('Publish');
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  expect(ran.stdout.trim().split('\n')).toEqual([
    `+ vehicle-media-site@${version}`,
    `+ create-vehicle-media-site@${version}`,
  ]);
  expect(ran.stderr).toContain('with tag latest and public access (dry-run)');
  for (const package_ of ['dist', 'create']) {
    const { repository } = JSON.parse(
      await readFile(path.join(project, package_, 'package.json'), 'utf8'),
    );
    expect(repository.url).toBe('git+https://github.com/cars/generator.git');
  }
});

it('creates a release with the notes', async () => {
  const ran = await run('Release');
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  expect((await readFile(path.join(folder.path, 'calls'), 'utf8')).trim().split('\n')).toEqual([
    `release view v${version}`,
    `release create v${version} --verify-tag --title v${version} --notes-file notes.md`,
  ]);
});
