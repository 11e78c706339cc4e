import { describe, expect, it } from 'vitest';
import { generateAccounts } from '../../../src/sample-service/data/batches.ts';
import { generateDealers } from '../../../src/sample-service/data/vehicles.ts';
import { livePresent } from '../../../src/sample-service/options.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');
const shape = { seed: 1, dealers: 3, vehicles: 12, images: 8, now: NOW };

describe('generated dealers', () => {
  const dealers = generateDealers(shape);
  const vehicles = dealers.flatMap((dealer) => dealer.vehicles);

  it('has the documented numbers and the unusual plates', () => {
    expect(dealers.map(({ id }) => id)).toEqual([7001, 7002, 7003]);
    expect(vehicles).toHaveLength(36);
    const marks = vehicles.map(({ vrm }) => vrm);
    for (const odd of ['', '..', 'AB 12', 'AB12', 'ab12', 'CON', '🚗💨 VROOM']) {
      expect(marks).toContain(odd);
    }
    expect(marks.filter((mark) => mark.length === 300)).toHaveLength(1);
    const ordinary = marks.filter((mark) => /^[A-Z]{2}\d{2}[A-Z]{3}$/.test(mark));
    expect(ordinary).toHaveLength(36 - 8);
  });

  it('has every kind of vehicle: hosted video, only a player, no video, no media, no image', () => {
    const videos = (mediaList: readonly { type: string }[]) =>
      mediaList.filter((item) => item.type === 'Video');
    const kinds = vehicles.map(({ mediaList }) => {
      const hosted = videos(mediaList).some((item) => 'hostedVideoUrl' in item);
      if (mediaList.length === 0) return 'empty';
      if (videos(mediaList).length === mediaList.length) return 'no image';
      return videos(mediaList).length === 0 ? 'no video' : hosted ? 'hosted' : 'player';
    });
    expect(new Set(kinds)).toEqual(new Set(['empty', 'no image', 'no video', 'hosted', 'player']));
  });

  it('are the same for a seed, also if others are added', () => {
    const more = generateDealers({ ...shape, vehicles: 40 });
    expect(more[0]?.vehicles.slice(0, 6)).toEqual(dealers[0]?.vehicles.slice(0, 6));
    expect(generateDealers(shape)).toEqual(dealers);
    expect(generateDealers({ ...shape, seed: 2 })).not.toEqual(dealers);
  });
});

describe('generated batches', () => {
  const [account] = generateAccounts(1, NOW, generateDealers(shape));
  const batches = account?.batches ?? [];

  it('follow the documented form for events that did not happen', () => {
    const unwatched = batches.filter((batch) => batch.LandingPageFirstWatched === null);
    expect(unwatched.length).toBeGreaterThan(5);
    for (const batch of unwatched) {
      expect(batch).toMatchObject({
        LandingPageLastWatched: null,
        LandingPageWatchCount: 0,
        CustomerActionState: null,
        CustomerActionPrice: 0,
        VideoPlayCount: 0,
      });
    }
    expect(batches.some((batch) => batch.CustomerActionState !== null)).toBe(true);
    expect(batches.some((batch) => batch.DateSent === null)).toBe(true);
  });

  it('contain no future time, and no view before the message was sent', () => {
    for (const batch of batches) {
      const times = [
        batch.DateCreated,
        batch.DateSent,
        batch.LandingPageFirstWatched,
        batch.LandingPageLastWatched,
      ].flatMap((time) => (typeof time === 'string' ? [time] : []));
      for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(times).toEqual([...times].sort());
      expect(Date.parse(times.at(-1) ?? '')).toBeLessThanOrEqual(NOW);
    }
  });

  it('are stable one day later: counts only grow, and new batches appear', () => {
    const account = (now: number) => generateAccounts(1, now, generateDealers(shape))[0];
    let before = account(NOW)?.batches ?? [];
    for (let days = 1; days <= 5; days++) {
      const after = account(NOW + days * 86_400_000)?.batches ?? [];
      const known = new Map(before.map((batch) => [batch.BatchId, batch]));
      expect(after.filter(({ BatchId }) => !known.has(BatchId)).length).toBeLessThanOrEqual(8);
      for (const batch of after) {
        const former = known.get(batch.BatchId);
        if (!former) continue;
        expect(batch).toMatchObject({
          DateCreated: former.DateCreated,
          Title: former.Title,
          RecipientEmail: former.RecipientEmail,
          DateSent: former.DateSent ?? batch.DateSent,
          LandingPageFirstWatched: former.LandingPageFirstWatched ?? batch.LandingPageFirstWatched,
        });
        for (const count of ['LandingPageWatchCount', 'VideoPlayCount', 'SocialClicks'] as const) {
          expect(batch[count]).toBeGreaterThanOrEqual(former[count]);
        }
      }
      expect(after.map(({ BatchId }) => BatchId)).not.toEqual(before.map(({ BatchId }) => BatchId));
      before = after;
    }
  });
});

it('the time of a demo starts on the current day and advances; it is fixed with a given clock', () => {
  const clock = () => Date.parse('2031-07-04T13:45:00Z');
  const { now, clock: running } = livePresent(clock);
  expect([now.toISOString(), running()]).toEqual(['2031-07-04T00:00:00.000Z', clock()]);
  expect(livePresent(clock).now).toEqual(now);
  const [account] = generateAccounts(1, now.getTime(), generateDealers(shape));
  const newest = Date.parse(account?.batches[0]?.DateCreated ?? '');
  expect(now.getTime() - newest).toBeLessThan(4 * 86_400_000);
});
