import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { argumentsIn, writeConfigIn } from '../support/build.ts';
import { afterLine, runCommand } from '../support/command.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(startService({ dealers: 1, vehicles: 2, images: 1 }));

const rightsOf = (place: string): string => (statSync(place).mode & 0o777).toString(8);

/** Distinct permissions of a folder and its content, by kind. */
function rightsBelow(folder: string): { files: string[]; folders: string[] } {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const of = (wanted: (typeof entries)[number][]) =>
    [...new Set(wanted.map((entry) => rightsOf(path.join(entry.parentPath, entry.name))))].sort();
  return {
    files: of(entries.filter((entry) => entry.isFile())),
    folders: [
      ...new Set([rightsOf(folder), ...of(entries.filter((entry) => entry.isDirectory()))]),
    ],
  };
}

function project() {
  const folder = tempFolder();
  const below = (name: string) => path.join(folder, name);
  writeConfigIn(folder, service, { site: { title: 'Cars', url: 'http://127.0.0.1:9' } });
  const www = below('srv/www');
  const run = async (umask: string, name: string, ...args: string[]) => {
    const env = { MEDIA_API_KEY: service.mediaKey, DEPLOY_FOLDER: www };
    const ran = await runCommand(name, args, env, { within: afterLine(`umask ${umask}`) });
    expect(ran.exitCode, ran.stderr).toBe(0);
  };
  const site = below('site');
  const cache = below('cache');
  const build = (umask: string, ...args: string[]) =>
    run(umask, 'build', '--first', ...argumentsIn(folder), ...args);
  return { below, run, build, site, www, cache };
}

describe.runIf(process.platform !== 'win32')('the permissions of published files', () => {
  const PUBLIC = { files: ['644'], folders: ['755'] };

  it.each(['077', '000'])('do not depend on the umask %s', async (umask) => {
    const setup = project();
    await setup.build(umask);
    expect(rightsBelow(setup.site)).toEqual(PUBLIC);
    if (umask === '077') {
      expect([rightsOf(setup.cache), rightsOf(setup.below('report.json'))]).toEqual(['700', '600']);
    }
    const { www } = setup;
    const args = ['--to', 'folder', '--folder', setup.site, '--no-check'];
    await setup.run(umask, 'deploy', ...args);
    for (const name of ['../../srv', '.', 'releases'])
      expect(rightsOf(path.join(www, name))).toBe('755');
    expect(rightsBelow(path.join(www, 'current/'))).toEqual(PUBLIC);
  });

  it('are corrected if an earlier build cached them with another umask', async () => {
    const setup = project();
    await setup.build('077', '--thin', '--output', setup.below('changes'));
    await setup.build('022');
    expect(rightsBelow(setup.site)).toEqual(PUBLIC);
  });
});
