import { readdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SecretFoundError } from '../../../src/errors.ts';
import { vehiclesId } from '../../../src/stock/refusals.ts';
import { thrownBy } from '../../support/answer-server.ts';
import { at, KEY, lastOf, load, night, numbered, records } from '../../support/stock-night.ts';
import { tempFolder } from '../../support/temp-folder.ts';

describe('a response', () => {
  it('is used, with its time and its name', async () => {
    const stock = await night({ answer: records(['A', 'B']) });
    expect(stock).toMatchObject({
      source: 'live',
      vrms: ['A', 'B'],
      withdrawn: [],
      takenAt: at(0),
      snapshotId: vehiclesId(['A', 'B']),
      counts: { vehicles: { received: 2 } },
      notes: [],
    });
    expect([stock.problem, stock.published, stock.notCompared]).toEqual(Array(3).fill(undefined));
  });

  it('is requested each time, unless a recent copy is allowed', async () => {
    const answers = { 7: records(['A']) };
    for (const [more, times, folders] of [
      [{ maxAge: '1d' }, 1, ['service']],
      [{}, 2, []],
    ] as const) {
      const cacheDir = tempFolder();
      const moved = path.join(tempFolder(), 'moved');
      const { loading, again, asked } = await load({ answers, cacheDir, ...more });
      expect(await loading).toMatchObject([{ source: 'live' }]);
      expect(readdirSync(cacheDir)).toEqual(folders);
      // eleventy-fetch caches missing files within a process.
      renameSync(cacheDir, moved);
      expect(await again(moved)).toMatchObject([{ source: 'live', vehicles: [{ vrm: 'A' }] }]);
      expect(asked).toHaveLength(times);
    }
  });

  it('withdraws unlisted vehicles for the configured time', async () => {
    const withdrawn = [
      { vrm: 'X', since: at(-29) },
      { vrm: 'Y', since: at(-30) },
      { vrm: 'A', since: at(-2) },
    ];
    const last = lastOf(numbered(20), { withdrawn });
    const stock = await night({ answer: records(['A', ...numbered(19)]), memory: { last } });
    expect(stock.source).toBe('live');
    expect(stock.withdrawn).toEqual([
      { vrm: 'V19', since: at(0) },
      { vrm: 'X', since: at(-29) },
    ]);
  });

  it('without a comparison has a reason', async () => {
    const answer = records(['A']);
    const live = { state: 'unknown', why: 'status 500' } as const;
    expect(await night({ answer, memory: { live } })).toMatchObject({
      published: 'unknown',
      notCompared: 'status 500',
    });
    const known = await night({ answer, memory: { live, last: lastOf(['A']) } });
    expect(known.notCompared).toBeUndefined();
    const absent = await night({ answer, memory: { live: { state: 'absent' } } });
    expect([absent.published, absent.notCompared]).toEqual(['absent', undefined]);
  });
});

describe('the snapshot is used', () => {
  const last = lastOf(['A', 'B'], {
    withdrawn: [
      { vrm: 'X', since: at(-1) },
      { vrm: 'Y', since: at(-31) },
    ],
  });

  it.each([
    [404, 'service-refused-404'],
    [500, 'service-unreachable'],
    [{ no: 'list' }, 'service-answer-no-array'],
    [records(numbered(41)), 'stock-too-many-vehicles'],
    [[...records(['A', 'B']), 'no record'], 'stock-too-many-quarantined'],
  ])('for %j', async (answer, code) => {
    expect(await night({ answer, memory: { last } })).toMatchObject({
      source: 'snapshot',
      vrms: ['A', 'B'],
      withdrawn: [{ vrm: 'X', since: at(-1) }],
      takenAt: at(-1),
      snapshotId: vehiclesId(['A', 'B']),
      problem: { code },
    });
    expect(await night({ answer })).toMatchObject({ source: 'none', vrms: [], problem: { code } });
  });

  it('for a response that lost too many vehicles, with its counts', async () => {
    const many = lastOf(numbered(20));
    const stock = await night({ answer: records(numbered(5)), memory: { last: many } });
    expect(stock).toMatchObject({
      source: 'held',
      problem: { code: 'stock-vehicle-loss' },
      counts: { vehicles: { received: 5 } },
    });
    expect(stock.vrms).toHaveLength(20);
    expect(stock.problem?.message).toMatch(/^15 of 20 vehicles of dealer 7 \(Dealer 7\)/);
    expect(stock.problem?.fix).toMatch(new RegExp(`--accept-loss d7@${vehiclesId(numbered(20))}$`));
  });

  it('unless the published site lists vehicles that it is missing', async () => {
    const live = { state: 'live', vrms: numbered(20) } as const;
    const stock = await night({ answer: 404, memory: { last, live, notes: ['before'] } });
    expect(stock).toMatchObject({ source: 'none', vrms: [], withdrawn: [], published: 'live' });
    expect([stock.takenAt, stock.snapshotId]).toEqual([undefined, undefined]);
    expect(stock.notes).toEqual([
      'before',
      expect.stringContaining(`of ${at(-1)}, lacks vehicles`),
    ]);
    const same = await night({
      answer: 404,
      memory: { last, live: { state: 'live', vrms: ['A'] } },
    });
    expect([same.source, same.notes]).toEqual(['snapshot', []]);
  });

  it('with times from a wrong clock set to the current time', async () => {
    const wrong = lastOf(['A'], {
      confirmed: at(1),
      withdrawn: [
        { vrm: 'X', since: at(2) },
        { vrm: 'Z', since: at(-1) },
      ],
    });
    const stock = await night({ answer: 404, memory: { last: wrong } });
    expect(stock).toMatchObject({
      takenAt: at(0),
      withdrawn: [
        { vrm: 'X', since: at(0) },
        { vrm: 'Z', since: at(-1) },
      ],
    });
    expect(stock.notes).toEqual([
      expect.stringContaining(`is dated ${at(1)}, in the future`),
      expect.stringMatching(/^1 withdrawn vehicles are dated in the future/),
    ]);
    expect((await night({ answer: 404, memory: { last } })).notes).toEqual([]);
    const ofNow = lastOf(['A'], { confirmed: at(0), withdrawn: [{ vrm: 'X', since: at(0) }] });
    expect((await night({ answer: 404, memory: { last: ofNow } })).notes).toEqual([]);
  });
});

describe('a loss', () => {
  const live = { state: 'live', vrms: numbered(20) } as const;

  it('is also measured against the published site', async () => {
    const stock = await night({ answer: records(['V0']), memory: { live } });
    expect(stock).toMatchObject({ source: 'none', problem: { code: 'stock-vehicle-loss' } });
    expect(stock.problem?.why).toContain('the published site');
    const twice = { ...live, vrms: [...live.vrms, ...live.vrms] };
    const again = await night({ answer: records(['V0']), memory: { live: twice } });
    expect(again.problem?.message).toMatch(/^19 of 20/);
  });

  it('is accepted only for the given stock and dealer', async () => {
    const accepted = async (acceptLoss: string[]) =>
      (
        await night({
          answer: records(['V0']),
          memory: { live, last: lastOf(live.vrms) },
          acceptLoss,
        })
      ).source;
    expect(await accepted([`d7@${vehiclesId(live.vrms)}`])).toBe('live');
    expect(await accepted([`d8@${vehiclesId(live.vrms)}`])).toBe('held');
    expect(await accepted([`d7@${vehiclesId(['A'])}`])).toBe('held');
  });

  it('from two sides must be accepted for both', async () => {
    const last = lastOf(numbered(30));
    const { problem } = await night({ answer: records(['V0']), memory: { live, last } });
    expect(problem?.message).toMatch(/^29 of 30/);
    expect(problem?.why).toContain('the snapshot');
    const tokens = [numbered(30), numbered(20)].map(
      (vrms) => `--accept-loss d7@${vehiclesId(vrms)}`,
    );
    expect(problem?.fix?.endsWith(tokens.join(' '))).toBe(true);
  });

  it('lists plates and the complete command that accepts it', async () => {
    const last = lastOf([...numbered(15), 'X'.repeat(300)]);
    const { problem } = await night({ answer: records(['V0']), memory: { last } });
    expect(problem?.message).toMatch(
      /^15 of 16 vehicles of dealer 7 .* are missing: V1, V2, .*, V10 and 5 more\.$/,
    );
    const token = `d7@${vehiclesId([...numbered(15), 'X'.repeat(300)])}`;
    expect(problem?.fix).toContain(`run once: npm run build -- --accept-loss ${token}`);
    const { problem: long } = await night({
      answer: records(['V0']),
      memory: { last: lastOf(['', 'X'.repeat(300), 'V1']) },
    });
    expect(long?.message).toContain(`are missing: (empty), ${'X'.repeat(19)}…, V1.`);
  });

  it('identifies a stock by its vehicles in any order', () => {
    expect(vehiclesId(['B', 'A', 'B'])).toBe(vehiclesId(['A', 'B']));
    expect(vehiclesId(['A'])).not.toBe(vehiclesId(['B']));
    expect(vehiclesId(['A'])).toMatch(/^[0-9a-f]{12}$/);
  });
});

describe('dealers', () => {
  it('may have the maximum number of vehicles and the maximum small loss', async () => {
    expect((await night({ answer: records(numbered(40)) })).source).toBe('live');
    const last = lastOf(numbered(6));
    expect((await night({ answer: records(['V0', 'V1']), memory: { last } })).source).toBe('live');
    expect((await night({ answer: records(['V0']), memory: { last } })).source).toBe('held');
  });

  it('are reported once, in the order of the configuration', async () => {
    const reported: number[] = [];
    const { loading } = await load({
      answers: { 9: records(['A']), 10: 404, 11: records([]) },
      reported,
    });
    expect((await loading).map(({ dealer, source }) => [dealer.id, source])).toEqual([
      [9, 'live'],
      [10, 'none'],
      [11, 'live'],
    ]);
    expect(reported.sort((a, b) => a - b)).toEqual([9, 10, 11]);
  });

  it('are all discarded if a response contains the key', async () => {
    const service = { concurrency: 1 };
    const reported: number[] = [];
    const { loading, asked } = await load({
      answers: { 7: [KEY], 8: records(['A']) },
      service,
      reported,
    });
    expect(await thrownBy(loading)).toBeInstanceOf(SecretFoundError);
    expect([asked.length, reported]).toEqual([1, []]);
  });

  it('are not requested once the caller has stopped', async () => {
    const { loading, asked } = await load({ answers: { 7: [] }, signal: AbortSignal.abort() });
    expect((await loading)[0]?.source).toBe('none');
    expect(asked).toEqual([]);
  });
});
