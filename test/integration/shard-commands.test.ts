import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PlannedShard } from '../../src/publish/shards/balance.ts';
import { type SampleService, startSampleService } from '../../src/sample-service/index.ts';
import { readSite, readTree, temporaryFolder } from '../support/build.ts';
import { startCommand } from '../support/command.ts';
import { runHere } from '../support/run-here.ts';

let service: SampleService;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let rows: PlannedShard[];
let parts: string[];

const at = (name: string) => path.join(folder.path, name);

/** A command with the configuration and folders of the test; the service's key is in the environment. */
const run = (script: string, args: readonly string[], env: Record<string, string> = {}) =>
  runHere([script, '--config', at('config.json'), ...args], {
    env: { MEDIA_API_KEY: service.mediaKey, ...env },
  });

/** Cache and report of their own, as on a machine of its own. */
const build = (name: string, args: readonly string[]) =>
  run('build', [
    ...['--output', at(name), '--cache', at(`${name}.cache`), '--report', at(`${name}.json`)],
    '--no-from-published',
    ...args,
  ]);

const buildPart = ({ name, shard, dealers }: PlannedShard) =>
  build(name, ['--shard', shard, '--dealers', dealers, '--run', '42']);

const merge = (folders: readonly string[], env: Record<string, string> = {}) =>
  run('merge', ['--output', at('site'), '--report', at('merged.json'), ...folders], env);

beforeAll(async () => {
  folder = await temporaryFolder();
  service = await startSampleService({ dealers: 3, vehicles: 2, images: 1 });
  for (const { vehicles } of service.data.dealers) {
    for (const { id } of vehicles.flatMap(({ mediaList }) => mediaList)) {
      service.data.override(id, { width: 120, height: 90 });
    }
  }
  const config = {
    service: { baseUrl: service.baseUrl, timeout: '5s' },
    site: { title: 'Cars', url: 'https://cars.example' },
    dealers: service.data.dealers.map(({ id, name }) => ({ id, name, slug: `dealer-${id}` })),
    media: { widths: [160] },
  };
  await writeFile(at('config.json'), JSON.stringify(config));
});
afterAll(async () => {
  await service.close();
  await folder[Symbol.asyncDispose]();
});

describe('plan, build --shard and merge', () => {
  it('print a matrix in one line, and nothing beside it', async () => {
    const planned = await run('plan', [
      '--shards',
      '4',
      '--keep',
      at('plan.json'),
      '--cache',
      at('c'),
    ]);
    expect(planned).toMatchObject({ exitCode: 0, stderr: '' });
    expect(planned.stdout).toMatch(/^\{"include":\[.*\]\}\n$/);
    rows = JSON.parse(planned.stdout).include;
    expect(rows.map(({ shard }) => shard)).toEqual(['1/4', '2/4', '3/4', '4/4']);
    expect(rows.at(-1)).toMatchObject({ name: 'part-4-of-4', dealers: '', pictures: 0 });
    expect(await readFile(at('plan.json'), 'utf8')).toBe(planned.stdout);
  });

  it('tell a service that does not answer beside the matrix, not in it', async () => {
    service.faults.set({ route: 'media', status: 503 });
    try {
      const planned = await run('plan', ['--keep', at('other.json'), '--cache', at('none')]);
      expect(planned.exitCode).toBe(0);
      expect(JSON.parse(planned.stdout).include).toHaveLength(2);
      expect(planned.stderr).toContain('counts as an ordinary dealer');
    } finally {
      service.faults.clear();
    }
  });

  it('print nothing, and keep the plan of before, where somebody stops them', async () => {
    const before = await readFile(at('plan.json'), 'utf8');
    const asked = service.requests.list('media').length;
    service.faults.set({ route: 'media', hang: true });
    try {
      const args = ['--config', at('config.json'), '--keep', at('plan.json'), '--cache', at('no')];
      const running = startCommand('plan', args, { MEDIA_API_KEY: service.mediaKey });
      await vi.waitFor(
        () => expect(service.requests.list('media').length).toBeGreaterThan(asked),
        30_000,
      );
      running.child.kill('SIGINT');
      const ended = await running.ended;
      expect(ended).toMatchObject({ exitCode: 5, stdout: '' });
      expect(ended.stderr).toContain('[plan-interrupted]');
      expect(await readFile(at('plan.json'), 'utf8')).toBe(before);
    } finally {
      service.faults.clear();
    }
  });

  it('make the site that one build makes, also with a part that has no dealers', async () => {
    const whole = await build('whole', []);
    expect(whole).toMatchObject({ exitCode: 0 });
    const built = await Promise.all(rows.map(buildPart));
    for (const [index, ran] of built.entries()) {
      expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
      // It is not published yet, and does not say so.
      expect(ran.stdout).toContain(`Part ${rows[index]?.shard} was built in`);
      expect(ran.stdout).not.toContain('Built into');
    }
    parts = rows.map(({ name }) => at(name));
    const summary = at('summary.md');
    const merged = await merge(parts.toReversed(), { GITHUB_STEP_SUMMARY: summary });
    expect(merged).toMatchObject({ exitCode: 0, stderr: '' });
    expect(merged.stdout).toContain('Built into');
    const [site, expected] = [await readSite(at('site')), await readSite(at('whole'))];
    expect([...site.keys()]).toEqual([...expected.keys()]);
    for (const [file, bytes] of site) if (bytes !== expected.get(file)) expect.fail(file);
    const [report, wholeReport] = await Promise.all(
      ['merged.json', 'whole.json'].map(async (name) =>
        JSON.parse(await readFile(at(name), 'utf8')),
      ),
    );
    // When, and how long it took, is another matter.
    const lasting = ({ startedAt, durationMs, steps, cpu, dealers, ...rest }: typeof report) => ({
      ...rest,
      dealers: dealers.map(({ takenAt, ageSeconds, snapshot, ...one }: typeof report) => one),
    });
    expect(lasting(report)).toEqual(lasting(wholeReport));
    for (const { name } of service.data.dealers) {
      expect(await readFile(summary, 'utf8')).toContain(name);
    }
  });

  it.each([
    ['a missing part', () => parts.slice(1), 5, 'shard-set', 'Part 1 of 4 is missing.'],
    [
      'a folder that is none',
      () => [...parts, at('c')],
      5,
      'shard-unusable',
      'is no part of a site',
    ],
    ['the folder of the site itself', () => [at('site')], 5, 'shard-output', 'is a part, and also'],
  ])('refuse %s, and leave the site as it was', async (_, folders, exitCode, code, what) => {
    const before = await readTree(at('site'));
    const refused = await merge(folders());
    expect(refused.exitCode).toBe(exitCode);
    expect(refused.stderr).toContain(what);
    expect(refused.stderr).toContain(`[${code}]`);
    expect(refused.stderr).toMatch(/^ {2}Why: \S/m);
    expect(refused.stderr).toMatch(/^ {2}Do: {2}\S/m);
    expect(JSON.parse(await readFile(at('merged.json'), 'utf8'))).toMatchObject({
      outcome: 'not-published',
      problem: { code },
    });
    expect(await readTree(at('site'))).toEqual(before);
  });

  it('refuse a dealer that the configuration does not have', async () => {
    const ran = await build('unknown', ['--shard', '1/2', '--dealers', '7001,9999']);
    expect(ran.exitCode).toBe(2);
    expect(ran.stdout).toContain('Part 1/2 was not built');
    expect(ran.stderr).toContain('--dealers names 9999');
    expect(ran.stderr).toContain('[argument-shard]');
  });

  it('refuse to put a part in the place of a whole site', async () => {
    const before = await readTree(at('whole'));
    const ran = await build('whole', ['--shard', '1/2']);
    expect(ran.exitCode).toBe(5);
    expect(ran.stderr).toContain('[shard-output]');
    expect(await readTree(at('whole'))).toEqual(before);
  });

  it('refuse a site whose extension has pages', async () => {
    const config = JSON.parse(await readFile(at('config.json'), 'utf8'));
    const file = at('with-extension.json');
    await writeFile(
      file,
      JSON.stringify({ ...config, site: { ...config.site, extend: './x.ts' } }),
    );
    await writeFile(at('x.ts'), 'export default { pages: () => [] };');
    const ran = await build('extended', ['--shard', '1/2', '--config', file]);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('[shard-extension]');
  });
});
