import { writeFileSync } from 'node:fs';
import { cp, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  argumentsIn,
  build,
  buildSite,
  readTree,
  recordingConsole,
  writeConfigOf,
} from '../support/build.ts';
import { changeSetOf } from '../support/change-set.ts';
import { FIRST_NIGHT } from '../support/disks.ts';
import { writeFilesBelow } from '../support/files-below.ts';
import { down, later, type NightOptions, useLaterNight, vehicles } from '../support/later-night.ts';
import { UNREACHABLE } from '../support/published-site.ts';
import { runHere } from '../support/run-here.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Output folder of a thin build and its options. */

useLaterNight();

describe('the folder of a change set', () => {
  let folder: string;
  let output: string;
  beforeEach(() => {
    folder = tempFolder();
    output = path.join(folder, 'changes');
  });
  /** A build on a kept disk. */
  const thin = (hours: number, options: NightOptions = {}) =>
    build(later.config(), folder, {
      now: FIRST_NIGHT + hours * 3_600_000,
      output,
      form: 'thin',
      fromPublished: true,
      ...options,
    });
  const files = async () => (await changeSetOf(await readTree(output))).files;

  it('is replaced by the next one, which starts from the published site', async () => {
    vehicles().splice(1, 1);
    expect((await thin(24)).error).toBeUndefined();
    const first = await readTree(output);
    // It was never deployed.
    expect((await thin(24)).error).toBeUndefined();
    expect(await readTree(output)).toEqual(first);
    await writeFile(path.join(output, 'files/own.txt'), 'mine, for one deploy');
    expect((await thin(25)).error).toBeUndefined();
    expect((await files()).has('own.txt')).toBe(false);
  });

  it('leaves a cache as complete as after a full build', async () => {
    vehicles().splice(1, 1);
    const other = tempFolder();
    await buildSite(later.config(), other, {
      now: FIRST_NIGHT + 24 * 3_600_000,
      fromPublished: true,
    });
    expect((await thin(24)).error).toBeUndefined();
    const remembered = async (at: string) => {
      const tree = await readTree(path.join(at, 'cache/records'));
      return new Map([...tree].filter(([name]) => !name.endsWith('times.json')));
    };
    expect((await remembered(folder)).size).toBe(4);
    expect(await remembered(folder)).toEqual(await remembered(other));
    // It is used as a snapshot if the site is unreachable.
    later.site.instead = UNREACHABLE;
    down();
    const alone = await thin(48);
    expect(alone.report.dealers.map(({ state }) => state)).toEqual(['degraded', 'fresh']);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a site', () => cp(later.published, output, { recursive: true })],
    ['other files', () => writeFilesBelow(output, { 'notes.txt': 'mine' })],
    [
      'other files beside a change set',
      async () => {
        await thin(24);
        await writeFile(path.join(output, 'notes.txt'), 'mine');
      },
    ],
    [
      'unrelated files with the same names',
      () => writeFilesBelow(output, { 'changes.ndjson': 'mine' }),
    ],
  ])('refuses a folder with %s', async (_, given) => {
    await given();
    const before = await readTree(output);
    const { exitCode, report } = await thin(24);
    expect([exitCode, report.problem?.code]).toEqual([2, 'output-not-ours']);
    expect(await readTree(output)).toEqual(before);
  });

  it('is unchanged if you put a file into it during a build', async () => {
    await thin(24);
    const before = await readTree(output);
    const console = recordingConsole();
    const line = () => writeFileSync(path.join(output, 'notes.txt'), 'mine');
    const { report } = await thin(48, { console: { ...console, line } });
    expect(report.problem?.code).toBe('output-not-ours');
    expect(await readTree(output)).toEqual(before.set('notes.txt', 'mine'));
  });

  it('does not become a site', async () => {
    await thin(24);
    const { exitCode, report } = await thin(24, { form: 'whole' });
    expect([exitCode, report.problem?.code]).toEqual([2, 'output-not-ours']);
    expect(report.problem?.what).toContain('change set');
  });

  it('stays unchanged if a build stops', async () => {
    await thin(24);
    const before = await readTree(output);
    vehicles().splice(1);
    down(401);
    later.service.faults.set({ route: 'media', status: 401 });
    expect((await thin(48)).exitCode).toBe(3);
    expect(await readTree(output)).toEqual(before);
  });
});

it('npm run build writes a change set in CI for a host that takes it, and reports the reason', async () => {
  const folder = tempFolder();
  writeConfigOf(folder, later.service, later.config());
  const now = ['--now', new Date(FIRST_NIGHT + 24 * 3_600_000).toISOString()];
  const env = { MEDIA_API_KEY: later.service.mediaKey, CI: 'true', DEPLOY_TO: 'netlify' };
  const ran = await runHere(['build', ...argumentsIn(folder), ...now], { env });
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  expect(ran.stdout).toContain('--whole writes the full site');
  expect(await readdir(path.join(folder, 'site'))).toContain('changes.ndjson');
});
