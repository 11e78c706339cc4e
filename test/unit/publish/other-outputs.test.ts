import { mkdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { SecretSearch } from '../../../src/config/secret-search.ts';
import { BuildMemory } from '../../../src/publish/memory/memory.ts';
import { KnownPictures } from '../../../src/record/known-pictures.ts';
import { recordsFolder } from '../../../src/record/published-records.ts';
import type { DealerStock } from '../../../src/stock/dealer-stock.ts';
import { offlineConfig } from '../../support/offline-config.ts';
import { picturesRecord } from '../../support/picture-memory.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const OUTPUTS = { '-320-aaaaaa.webp': `1-${'a'.repeat(27)}` };
const content = { width: 4, height: 3, colour: '808080', outputs: OUTPUTS };
const hashOf = (digit: number) => String(digit).repeat(20);
const nameOf = (digit: number) =>
  `${String(digit).repeat(2)}/${String(digit).repeat(18)}-320-aaaaaa.webp`;

it('outputs of other configurations, of other dealers and of killed runs are in use', async () => {
  const cache = tempFolder();
  const config = offlineConfig({ dealers: [{ id: 1, name: 'One', slug: 'one' }] });
  const records = recordsFolder(cache, config);
  const other = recordsFolder(cache, { ...config, file: `elsewhere/${config.file}` });
  expect(other).not.toBe(records);
  const record = (folder: string, dealer: number, digit: number) => {
    const [piece] = picturesRecord(String(dealer), {
      sources: [],
      contents: [[hashOf(digit), 4, 3, '808080', OUTPUTS]],
    }).pieces;
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, piece?.name ?? ''), piece?.text ?? '');
    return path.join(folder, piece?.name ?? '');
  };
  const otherPiece = record(other, 1, 1);
  record(records, 2, 2);
  record(records, 1, 4);
  const killed = new KnownPictures(other);
  killed.adopt('3');
  const entry = { validator: '"a"', vehicleDate: '2026-03-01T00:00:00Z', hash: hashOf(3) };
  killed.record('3/1 AAAAAAAAAAA', entry, content, 1);
  const built = { dealer: { id: 1 }, source: 'live' } as DealerStock;
  const used = async () => {
    await using memory = new BuildMemory(config, { cacheDir: cache, now: Date.now() });
    return memory.pictures([built], new SecretSearch([])).usedByOthers();
  };
  expect([...((await used()) ?? [])].sort()).toEqual([1, 2, 3].map(nameOf));
  truncateSync(otherPiece, 100);
  expect(await used()).toBeUndefined();
  const times = path.join(other, 'times.json');
  writeFileSync(times, '{}');
  expect(await used()).toBeUndefined();
  // The other configuration is no longer built.
  utimesSync(times, 0, Date.now() / 1000 - 31 * 86_400);
  expect([...((await used()) ?? [])]).toEqual([nameOf(2)]);
});
