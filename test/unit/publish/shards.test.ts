import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { GateError } from '../../../src/errors.ts';
import { withChecksum } from '../../../src/lib/files/checksum.ts';
import { type MadePages, newChunk } from '../../../src/publish/chunk/built-chunk.ts';
import { packChunk } from '../../../src/publish/chunk/wire.ts';
import { makeReport, newState, type State } from '../../../src/publish/outcome/run-state.ts';
import type { DealerReport } from '../../../src/publish/report/report.ts';
import { balance, type PlannedShard, type Weight } from '../../../src/publish/shards/balance.ts';
import {
  readCachedPlan,
  refuseOthersPlan,
  writeCachedPlan,
} from '../../../src/publish/shards/cached-plan.ts';
import { readShardRecord, writeShardRecord } from '../../../src/publish/shards/shard-record.ts';
import { temporaryFolder } from '../../support/build.ts';

const RECORD_OF_A_PART: Parameters<typeof writeShardRecord>[0] = {
  number: 1,
  count: 2,
  run: 'night',
  siteKey: 'key',
  startedAt: '2026-03-02T02:00:00Z',
  notes: [],
  batches: [packChunk({ ...newChunk(), fingerprints: [['0123.webp', '9-9']] })],
};

const dealer = (id: number, pictures: number): Weight => ({ id, vehicles: 1, pictures });

const inOrder = (plan: readonly PlannedShard[]) =>
  plan.toSorted((a, b) => Number.parseInt(a.shard, 10) - Number.parseInt(b.shard, 10));

/** The part that each dealer is in. */
const placesOf = (plan: readonly PlannedShard[]) =>
  new Map(
    plan.flatMap(({ dealers, shard }) =>
      dealers.split(',').flatMap((id) => (id === '' ? [] : [[Number(id), shard] as const])),
    ),
  );

const weights = fc.uniqueArray(fc.record({ id: fc.nat(999), pictures: fc.nat(5_000) }), {
  selector: ({ id }) => id,
  maxLength: 40,
});

describe('a plan that follows another', () => {
  it('has each dealer once, whatever the former one was', () => {
    fc.assert(
      fc.property(weights, weights, fc.integer({ min: 1, max: 9 }), (before, after, count) => {
        const former = inOrder(
          balance(
            before.map(({ id, pictures }) => dealer(id, pictures)),
            count,
          ),
        );
        const plan = balance(
          after.map(({ id, pictures }) => dealer(id, pictures)),
          count,
          former,
        );
        expect(plan).toHaveLength(count);
        expect(new Set(plan.map(({ shard }) => shard)).size).toBe(count);
        const ids = plan.flatMap(({ dealers }) => (dealers === '' ? [] : dealers.split(',')));
        expect(ids.map(Number).sort((a, b) => a - b)).toEqual(
          after.map(({ id }) => id).sort((a, b) => a - b),
        );
      }),
    );
  });

  it('moves nobody while the parts are about equal, though a new plan would', () => {
    const before = Array.from({ length: 20 }, (_, id) => dealer(id, 100 + id));
    const after = before.map(({ id, pictures }) => dealer(id, pictures + (id % 7) * 3));
    const former = inOrder(balance(before, 4));
    expect(placesOf(balance(after, 4))).not.toEqual(placesOf(former));
    expect(placesOf(balance(after, 4, former))).toEqual(placesOf(former));
  });

  it('names the heaviest part first, by the number that it had', () => {
    const former = inOrder(balance([dealer(1, 100), dealer(2, 90)], 2));
    const plan = balance([dealer(1, 100), dealer(2, 120)], 2, former);
    expect(plan.map(({ shard, name, dealers }) => [shard, name, dealers])).toEqual([
      ['2/2', 'part-2-of-2', '2'],
      ['1/2', 'part-1-of-2', '1'],
    ]);
  });

  it('puts new dealers into the lightest part, and forgets those that are gone', () => {
    const former = inOrder(balance([dealer(1, 100), dealer(2, 100), dealer(3, 10)], 2));
    const places = placesOf(balance([dealer(1, 100), dealer(3, 10), dealer(4, 50)], 2, former));
    expect(Object.fromEntries(places)).toEqual({ 1: '1/2', 3: '1/2', 4: '2/2' });
  });

  it('moves as few as it takes where one part has become too heavy', () => {
    const former = inOrder(
      balance(
        Array.from({ length: 12 }, (_, id) => dealer(id, 100)),
        3,
      ),
    );
    const places = placesOf(former);
    const grown = Array.from({ length: 12 }, (_, id) =>
      dealer(id, places.get(id) === '1/3' ? 200 : 100),
    );
    const plan = balance(grown, 3, former);
    const moved = [...placesOf(plan)].filter(([id, part]) => places.get(id) !== part);
    expect(moved).toHaveLength(1);
    expect(Math.max(...plan.map(({ pictures }) => pictures))).toBe(600);
  });

  it('is a new one for another number of parts', () => {
    const all = Array.from({ length: 9 }, (_, id) => dealer(id, 10 * id));
    expect(balance(all, 3, inOrder(balance(all, 2)))).toEqual(balance(all, 3));
  });
});

describe('a kept plan', () => {
  it('is read as it was written, in the order of the parts', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'new', 'plan.json');
    const former = balance([dealer(1, 100), dealer(2, 90)], 3);
    const include = balance([dealer(1, 100), dealer(2, 120)], 3, inOrder(former));
    await writeCachedPlan(file, { include });
    expect(readCachedPlan(file, expect.fail).map(({ dealers }) => dealers)).toEqual(['1', '2', '']);
  });

  it.each(['itself', 'nowhere'])('takes no link of somebody to %s', async (to) => {
    await using folder = await temporaryFolder();
    await symlink(to, path.join(folder.path, 'itself'));
    expect(() => refuseOthersPlan(path.join(folder.path, 'itself'))).toThrow('would replace');
  });

  it('that is not there is none; one that cannot be read is told, and passed over', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'plan.json');
    expect(readCachedPlan(file, expect.fail)).toEqual([]);
    const other = '{"include":[{"shard":"1/2","dealers":"1; rm -rf"}]}';
    for (const text of ['', '{"include":', '[]', other]) {
      const told: string[] = [];
      await writeFile(file, text);
      expect(readCachedPlan(file, (line) => told.push(line))).toEqual([]);
      expect(told).toHaveLength(1);
      expect(await readFile(file, 'utf8')).toBe(text);
    }
    await mkdir(path.join(folder.path, 'folder'));
    const told: string[] = [];
    readCachedPlan(path.join(folder.path, 'folder'), (line) => told.push(line));
    expect(told).toHaveLength(1);
  });
});

describe('the report of several processes or parts', () => {
  const dealerOf = (id: number, state: 'fresh' | 'degraded' = 'fresh') =>
    ({ id, state }) as DealerReport;
  const needed = (dealer: number) => ({ dealer, code: 'stock-answer-old', what: 'Old.' });
  const failure = (key: string, code = 'picture-damaged') => ({
    key,
    code,
    message: '',
    standIn: false,
  });
  const pages = (rendered: number, unmatched: MadePages['unmatched'] = []): MadePages => ({
    summaries: [],
    records: [],
    kept: [],
    links: [],
    findings: [],
    isChanged: true,
    pages: 10,
    rendered,
    unmatched,
  });
  const state = (): State => ({
    ...newState(),
    published: true,
    order: [3, 1, 2],
    siteWide: pages(2),
    steps: { publish: 5 },
    chunks: [
      {
        ...newChunk(),
        process: 1,
        steps: { media: 7 },
        cpu: { media: 6 },
        reports: [dealerOf(1), dealerOf(2)],
        failures: [failure('2 a'), failure('2 b', 'download-refused')],
        attention: [needed(2), needed(1)],
        notes: ['Of all.', 'Of the first.'],
        made: pages(4, [['b.example', 1]]),
      },
      {
        ...newChunk(),
        steps: { media: 3 },
        cpu: { media: 3 },
        reports: [dealerOf(3, 'degraded')],
        failures: Array.from({ length: 50 }, (_, index) => failure(`1 ${index}`)),
        attention: [needed(3)],
        notes: ['Of all.'],
        made: pages(4, [
          ['a.example', 1],
          ['b.example', 3],
        ]),
      },
    ],
  });

  it('adds counts up, and has the dealers in the order of the configuration', () => {
    const report = makeReport(state(), Date.UTC(2026, 2, 2), undefined, 0, performance.now());
    expect(report.dealers.map(({ id }) => id)).toEqual([3, 1, 2]);
    expect(report).toMatchObject({
      outcome: 'degraded',
      exitCode: 0,
      startedAt: '2026-03-02T00:00:00.000Z',
      pages: 30,
      rendered: 10,
      // They ran at the same time, each on its own core.
      steps: { media: 7, publish: 5 },
      cpu: { media: 9 },
      pictureFailureCodes: { 'download-refused': 1, 'picture-damaged': 51 },
      unmatchedEmbeds: { 'a.example': 1, 'b.example': 4 },
      notes: ['Of all.', 'Of the first.'],
    });
    expect(report.attention.map(({ dealer }) => dealer)).toEqual([3, 1, 2]);
    expect(report.pictureFailures).toHaveLength(50);
    expect(report.pictureFailures.every(({ key }) => key.startsWith('1'))).toBe(true);
  });

  it('says why nothing was published', () => {
    const error = new GateError({ code: 'shard-set', what: 'Part 2 of 2 is missing.' });
    const { siteWide: _, ...soFar } = state();
    const report = makeReport({ ...soFar, published: false }, 0, error, 5, performance.now());
    expect(report).toMatchObject({
      outcome: 'not-published',
      exitCode: 5,
      pages: 20,
      problem: { code: 'shard-set', what: 'Part 2 of 2 is missing.' },
    });
  });
});

describe('the record of a part', () => {
  it('has no key in it, in whatever text one was quoted', async () => {
    await using folder = await temporaryFolder();
    const key = new Secret('k3y-of-"another"-dealer');
    const notes = [`It said ${key.reveal()}`, encodeURIComponent(key.reveal())];
    const record = { ...RECORD_OF_A_PART, notes };
    const text = writeShardRecord(record, [new Secret('a-key-that-is-not-there'), key]);
    expect(key.occursIn(text)).toBe(false);
    await writeFile(path.join(folder.path, 'shard.json'), text);
    expect(readShardRecord(folder.path)).toEqual({
      ...JSON.parse(JSON.stringify(record)),
      version: 5,
      notes: ['It said [secret]', '[secret]'],
    });
  });

  it('is refused where it is damaged, missing or of another version', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'shard.json');
    const refused = (why: string) => {
      expect(() => readShardRecord(folder.path)).toThrow(
        expect.objectContaining({ code: 'shard-unusable', why }),
      );
    };
    refused('It has no shard.json.');
    const text = writeShardRecord(RECORD_OF_A_PART, []);
    for (const damaged of [text.slice(0, -9), text.replace('"night"', '"nigth"'), '', '{}']) {
      await writeFile(file, damaged);
      refused('Its shard.json is damaged.');
    }
    const other = JSON.stringify({ ...RECORD_OF_A_PART, version: 99 });
    await writeFile(file, withChecksum(other));
    refused('Another version of this program made it.');
  });
});
