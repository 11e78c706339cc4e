import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SampleService, startSampleService } from '../../src/sample-service/index.ts';
import { build, configFor, readTree, temporaryFolder } from '../support/build.ts';

/** Does nothing but remove what a file beside it names: as if somebody else were at work. */
const MEDDLER = `
import { existsSync, readFileSync, rmSync } from 'node:fs';
const order = new URL('./remove.json', import.meta.url);
export default {
  pages: () => {
    if (existsSync(order)) for (const file of JSON.parse(readFileSync(order, 'utf8'))) rmSync(file);
    return [];
  },
};
`;

let service: SampleService;
beforeAll(async () => {
  service = await startSampleService({ dealers: 2, vehicles: 4, images: 2 });
});
afterAll(() => service.close());

describe('a site that is too large to stay in memory', () => {
  it('is not published where what is read again is no longer there, and is mended by the next build', async () => {
    await using folder = await temporaryFolder();
    const extend = path.join(folder.path, 'extend.js');
    await writeFile(extend, MEDDLER);
    const config = configFor(service, {
      site: { title: 'Test Motors', url: 'https://cars.example', extend },
    });
    const output = path.join(folder.path, 'site');
    const cacheDir = path.join(folder.path, 'cache');
    const night = () => build(config, folder.path, { heldVehicles: 0 });
    expect(await night()).toMatchObject({ exitCode: 0, error: undefined });
    const before = await readTree(output);

    const snapshots = path.join(cacheDir, 'snapshots');
    const [records] = [...(await readTree(snapshots)).keys()].filter((name) =>
      name.endsWith('.records'),
    );
    const order = path.join(folder.path, 'remove.json');
    await writeFile(order, JSON.stringify([path.join(snapshots, records ?? '')]));
    const broken = await night();
    expect(broken).toMatchObject({ exitCode: 5, error: { code: 'cache-changed' } });
    expect(broken.report).toMatchObject({
      outcome: 'not-published',
      problem: { code: 'cache-changed' },
    });
    expect(await readTree(output)).toEqual(before);

    await rm(order);
    const mended = await night();
    expect(mended).toMatchObject({ exitCode: 0, error: undefined });
    expect(mended.report.outcome).toBe('unchanged');
    expect(await readTree(output)).toEqual(before);
  });
});
