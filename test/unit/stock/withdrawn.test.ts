import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readShown, writeShown } from '../../../src/stock/shown.ts';
import { countedFromShown, stillShown } from '../../../src/stock/withdrawn.ts';
import { temporaryFolder } from '../../support/build.ts';

const DAY = 86_400_000;
const since = '2026-03-01T00:00:00.000Z';
const now = '2026-03-20T00:00:00.000Z';

describe('withdrawn pages', () => {
  it('count their time from the first night that published them', () => {
    const withdrawn = [
      { vrm: 'SHOWN', since },
      { vrm: 'NEVER SHOWN', since },
    ];
    const counted = countedFromShown(withdrawn, { shown: new Set(['SHOWN']), now });
    expect(counted).toEqual([
      { vrm: 'SHOWN', since },
      { vrm: 'NEVER SHOWN', since: now },
    ]);
    const kept = stillShown(counted, { now: Date.parse(now), withdrawnFor: 14 * DAY });
    expect(kept.map(({ vrm }) => vrm)).toEqual(['NEVER SHOWN']);
  });

  it('are remembered, and a torn memory says "none"', async () => {
    await using folder = await temporaryFolder();
    expect(await readShown(folder.path, 7)).toEqual(new Set());
    await writeShown(folder.path, 7, [
      { vrm: 'B', since },
      { vrm: 'A', since },
    ]);
    expect(await readShown(folder.path, 7)).toEqual(new Set(['A', 'B']));
    expect(await readShown(folder.path, 8)).toEqual(new Set());
    for (const torn of ['', '{"version":1,"vrms":["A"]}', `${'0'.repeat(64)}\n{"version":1}`]) {
      await writeFile(path.join(folder.path, 'dealer-7.shown'), torn);
      expect(await readShown(folder.path, 7)).toEqual(new Set());
    }
  });
});
