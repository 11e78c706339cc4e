import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SampleService, startSampleService } from '../../src/sample-service/index.ts';
import { build, configFor, readTree, temporaryFolder } from '../support/build.ts';

let service: SampleService;
beforeAll(async () => {
  service = await startSampleService({ dealers: 2, vehicles: 4, images: 2 });
});
afterAll(() => service.close());

describe('a site that is too large to stay in memory', () => {
  it('is not published where what is read again is no longer there, and is mended by the next build', async () => {
    await using folder = await temporaryFolder();
    const config = configFor(service);
    const output = path.join(folder.path, 'site');
    const snapshots = path.join(folder.path, 'cache', 'snapshots');
    const night = () => build(config, folder.path, { heldVehicles: 0 });
    expect(await night()).toMatchObject({ exitCode: 0, error: undefined });
    const before = await readTree(output);

    // Answers are stored before pictures are made, and read again after that.
    const [changed] = service.data.dealers[0]?.vehicles ?? [];
    if (changed) changed.dateUpdated = '2026-03-05T00:00:00Z';
    service.requests.clear();
    const clear = service.faults.set({ route: 'picture', delayMs: 3000 });
    const running = night();
    await expect
      .poll(() => service.requests.list('picture').length, { timeout: 30_000 })
      .toBeGreaterThan(0);
    const kept = await readdir(snapshots, { recursive: true });
    for (const name of kept.filter((file) => file.endsWith('.records'))) {
      await rm(path.join(snapshots, name));
    }
    const broken = await running;
    clear();
    expect(broken).toMatchObject({ exitCode: 5, error: { code: 'cache-changed' } });
    expect(broken.report).toMatchObject({
      outcome: 'not-published',
      problem: { code: 'cache-changed' },
    });
    expect(await readTree(output)).toEqual(before);

    const mended = await night();
    expect(mended).toMatchObject({ exitCode: 0, error: undefined });
    expect(mended.report.dealers.map(({ state }) => state)).toEqual(['fresh', 'fresh']);
    expect((await night()).report.outcome).toBe('unchanged');
  });
});
