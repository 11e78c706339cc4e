import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startSampleService } from '../../src/sample-service/index.ts';
import { readSite, temporaryFolder } from '../support/build.ts';
import { runCommand } from '../support/command.ts';
import { forAllTests } from '../support/for-all-tests.ts';

const service = await forAllTests(startSampleService({ dealers: 1, vehicles: 2, images: 1 }));
const HOOK = pathToFileURL(path.resolve(import.meta.dirname, '../support/kill-publish.ts')).href;

describe('a build that is killed while it publishes', () => {
  it.each([
    ['before anything is known of the new site', { KILL_BEFORE: '/records/.*\\.json$' }, 'old'],
    ['before its times are known', { KILL_BEFORE: '/times\\.json$' }, 'old'],
    ['before the published site is moved aside', { KILL_BEFORE: '/former$' }, 'old'],
    ['between the two renames', { KILL_BEFORE: '/next \\S+/site$' }, 'none'],
    ['while the former site is removed', { KILL_AFTER: '/next \\S+/site$' }, 'new'],
  ] as const)('%s', async (_, moment, left) => {
    await using folder = await temporaryFolder();
    const at = (...parts: string[]) => path.join(folder.path, ...parts);
    const run = async (perPage: number, env: Record<string, string> = {}) => {
      const config = {
        service: { baseUrl: service.baseUrl, retries: 0 },
        site: { title: 'Cars', url: 'https://cars.example', perPage },
        dealers: [{ id: 7001, name: `One with ${perPage}`, slug: 'one' }],
        media: { widths: [160], fallbackWidth: 160 },
      };
      await writeFile(at('config.json'), JSON.stringify(config));
      const names = ['config', 'output', 'cache', 'report'];
      const values = ['config.json', 'site', 'cache', 'report.json'];
      const args = names.flatMap((name, index) => [`--${name}`, at(values[index] ?? '')]);
      return runCommand('build', args, { MEDIA_API_KEY: service.mediaKey, ...env });
    };
    // A second page of the list is in the first site alone.
    expect(await run(1)).toMatchObject({ exitCode: 0, stderr: '' });
    const old = await readSite(at('site'));
    const killed = await run(2, {
      NODE_OPTIONS: `--import ${HOOK}`,
      ...moment,
    });
    expect(killed.exitCode).not.toBe(0);
    expect(existsSync(at('site'))).toBe(left !== 'none');
    if (left === 'old') expect(await readSite(at('site'))).toEqual(old);
    const there = left === 'new' ? await readSite(at('site')) : undefined;

    expect(await run(2)).toMatchObject({ exitCode: 0, stderr: '' });
    const site = await readSite(at('site'));
    expect(site).not.toEqual(old);
    if (there) expect(site).toEqual(there);
    expect((await readdir(at('.site.work'))).sort()).toEqual(['.vehicle-media-site', 'lock']);
    expect(await run(2)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/unchanged|Nothing changed/i),
    });
  });
});
