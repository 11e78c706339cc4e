import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LoadedConfig } from '../../src/config/load.ts';
import type { RunOptions } from '../../src/publish/options/run-options.ts';
import type { BuildReport } from '../../src/publish/report/report.ts';
import { buildSite, configFor, readTree } from '../support/build.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { startService } from '../support/service.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Two dealers of two vehicles. */
const service = await forAllTests(startService({ dealers: 2, vehicles: 2, images: 2 }));

const NOW = Date.parse('2026-03-02T10:00:00Z');

/** A configuration with one dealer or both. */
function configOf(file: string, dealers: readonly number[], media = {}): LoadedConfig {
  const all = configFor(service, { media: { widths: [64, 128], ...media } });
  return { ...all, file, dealers: dealers.flatMap((index) => all.dealers[index] ?? []) };
}

const run = async (
  folder: string,
  config: LoadedConfig,
  site: string,
  options: Partial<RunOptions> = {},
) => {
  const { report } = await buildSite(config, folder, {
    now: NOW,
    output: path.join(folder, site),
    ...options,
  });
  return report;
};
const nothingDone: Partial<BuildReport> = {
  outcome: 'unchanged',
  rendered: 0,
  media: expect.objectContaining({ downloaded: 0, outputsMade: 0, outputsRemoved: 0 }),
};

describe('configurations that share a cache', () => {
  it('share neither thumbnails nor stored state by mistake', async () => {
    const folder = tempFolder();
    const configs = {
      one: configOf('one.json', [0]),
      two: configOf('two.json', [1]),
      // The same dealer as the first, with other sizes and another folder.
      three: configOf('elsewhere/one.json', [0], { widths: [64, 96] }),
    };
    for (const [name, config] of Object.entries(configs)) {
      expect((await run(folder, config, name)).media?.outputsRemoved).toBe(0);
    }
    for (const [name, config] of Object.entries(configs)) {
      // An output encoded again by the other one may have other bytes, once.
      await run(folder, config, name);
    }
    const files = await readTree(path.join(folder, 'cache', 'media', 'files'));
    for (const [name, config] of Object.entries(configs)) {
      expect(await run(folder, config, name), name).toMatchObject(nothingDone);
    }
    expect(await readTree(path.join(folder, 'cache', 'media', 'files'))).toEqual(files);
  });

  it('each delete only the files that they used exclusively', async () => {
    const folder = tempFolder();
    // Pictures with any file: thumbnails and social cards are removed together.
    const pictures = async () => {
      const files = await readTree(`${folder}/cache/media/files`);
      return new Set([...files.keys()].map((name) => name.split('-')[0]));
    };
    await run(folder, configOf('one.json', [0]), 'one');
    const ofOne = await pictures();
    await run(folder, configOf('two.json', [0, 1]), 'two');
    expect((await pictures()).size).toBeGreaterThan(ofOne.size);
    const report = await run(folder, configOf('two.json', [1]), 'two');
    expect(report.media?.outputsRemoved).toBe(0);
    await run(folder, configOf('two.json', [0]), 'two');
    expect(await pictures()).toEqual(ofOne);
  });
});
