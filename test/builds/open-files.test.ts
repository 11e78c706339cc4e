import path from 'node:path';
import { expect, it } from 'vitest';
import { startSampleService } from '../../src/sample-service/server.ts';
import { readTree, writeConfigIn } from '../support/build.ts';
import { afterLine, runCommand } from '../support/command.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { tempFolder } from '../support/temp-folder.ts';

const service = await forAllTests(
  startSampleService({ dealers: 2, vehicles: 6, images: 3, pictureScale: 0.2 }),
);

/** Limits from one that breaks reading the configuration to one that stops the decoder from starting. */
const LIMITS = [24, 31, 36];

it.runIf(process.platform !== 'win32')(
  'a build with too few open files names the limit and changes nothing',
  async () => {
    const folder = tempFolder();
    const below = (name: string) => path.join(folder, name);
    const dealers = service.data.dealers.map(({ id, name }) => ({ id, name, slug: `d${id}` }));
    const site = { title: 'Cars', url: 'http://127.0.0.1:9' };
    writeConfigIn(folder, service, { site, dealers });
    const build = async (limit: number) => {
      const args = ['--config', 'config.json', '--output', 'site', '--cache', 'cache'];
      const env = { MEDIA_API_KEY: service.mediaKey };
      const within = afterLine(`ulimit -n ${limit}`);
      const ran = await runCommand('build', args, env, { cwd: folder, within });
      return { code: ran.exitCode, text: ran.stdout + ran.stderr };
    };
    expect((await build(1024)).code).toBe(0);
    const before = await readTree(below('site'));
    for (const vehicle of service.data.dealers.flatMap(({ vehicles }) => vehicles)) {
      vehicle.dateUpdated = '2027-01-01T00:00:00Z';
      for (const { id } of vehicle.mediaList) service.data.touch(id);
    }
    const codes = new Set<number | null>();
    for (const limit of LIMITS) {
      const { code, text } = await build(limit);
      codes.add(code);
      if (code === 0) break;
      expect(code, `${limit}: ${text}`).toBe(5);
      expect(text).toContain('[open-files]');
      expect(text).toContain('ulimit -n');
      expect(await readTree(below('site'))).toEqual(before);
    }
    expect(codes).toContain(5);
  },
);
