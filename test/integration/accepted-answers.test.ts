import { describe, expect, it } from 'vitest';
import { dealerOne, type Later, openFirstNight } from '../support/disks.ts';
import { forAllTests } from '../support/for-all-tests.ts';

/** Which answer is the last good one: the one that was published, whatever came since. */

const YEAR = 365 * 24;
const first = await forAllTests(openFirstNight());
const { service } = first;

/** Nights on which all dealers answer, and another's pictures keep everything from being published. */
async function unpublished(world: Later, hours: number): Promise<void> {
  const vehicles = world.service.data.dealers[1]?.vehicles ?? [];
  const items = vehicles.flatMap(({ mediaList }) => mediaList);
  const ids = items.map(({ id }) => id);
  for (const item of items) item.id += 1_000_000;
  service.faults.set({ route: 'picture', status: 404 });
  const { report } = await world.live(hours);
  expect(report.problem?.code).toBe('publish-too-many-pictures-failed');
  expect(report.dealers.map(({ source }) => source)).toEqual(['live', 'live']);
  service.faults.clear();
  for (const [index, item] of items.entries()) item.id = ids[index] ?? 0;
}

describe('an answer whose build published nothing', () => {
  it('is not what later answers are compared with', async () => {
    await using world = await first.later();
    const { vehicles } = dealerOne(world);
    const [pattern] = vehicles;
    if (!pattern) throw new Error('no vehicle');
    const honest = [...vehicles];
    for (let index = 0; index < 40; index++) {
      const mediaList = pattern.mediaList.map((item, place) => ({
        ...item,
        id: 900_000 + index * 100 + place,
        mediaUrl: `${item.mediaUrl}?lost=${index}`,
      }));
      vehicles.push({ ...pattern, vrm: `ZZ${index}`, mediaList });
    }
    service.faults.set({ route: 'picture', status: 404 });
    const broken = await world.live(24);
    expect(broken.report.problem?.code).toBe('publish-too-many-pictures-failed');
    service.faults.clear();
    vehicles.splice(0, vehicles.length, ...honest);
    const { exitCode, report } = await world.live(48);
    expect(exitCode).toBe(0);
    expect(report.dealers[0]).toMatchObject({ state: 'fresh', vehicles: { used: 10 } });
  });

  it('does not hide a loss that came in steps', async () => {
    await using world = await first.later();
    const { vehicles } = dealerOne(world);
    vehicles.splice(0, 2);
    await unpublished(world, 24);
    vehicles.splice(0, 2);
    await unpublished(world, 48);
    vehicles.splice(0, 1);
    const before = await world.files();
    const { exitCode, report } = await world.live(72);
    expect(exitCode).toBe(0);
    expect(report.dealers[0]).toMatchObject({ state: 'held', vehicles: { received: 5, used: 10 } });
    expect(await world.files()).toEqual(before);
  });
});

describe('an answer that does not change', () => {
  it('is as old as the last night on which it was given', async () => {
    await using world = await first.later();
    for (const day of [1, 2, 3, 4, 5]) {
      const { report } = await world.live(day * 24);
      if (day > 1) expect(report.outcome).toBe('unchanged');
      expect(report.dealers[0]?.ageSeconds).toBe(0);
    }
    service.faults.set({ route: 'media', dealerId: 7001, status: 503 });
    const down = await world.live(6 * 24, { strict: true });
    expect(down.report.dealers[0]).toMatchObject({ state: 'degraded', ageSeconds: 24 * 3600 });
    expect([down.exitCode, down.report.attention]).toEqual([0, []]);
    // Nights on which it stands in confirm nothing.
    const later = await world.live(8 * 24 + 1, { strict: true });
    expect(later.report.attention).toMatchObject([{ dealer: 7001, code: 'stock-answer-old' }]);
    expect([later.exitCode, later.report.dealers[0]?.ageSeconds]).toEqual([8, 73 * 3600]);
  });
});

describe('a build with a clock ten years ahead', () => {
  it('is told of, and keeps no withdrawn page for years', async () => {
    await using world = await first.later();
    const page = 'dealer-1/ab10xyz/index.html';
    dealerOne(world).vehicles.splice(0, 1);
    expect((await world.live(10 * YEAR)).exitCode).toBe(0);
    expect((await world.files()).get(page)).toContain('no longer available');

    const next = await world.live(48);
    expect(next.exitCode).toBe(0);
    expect(next.report.dealers[0]?.notes.join('\n')).toMatch(
      /is dated 2036-[^\n]*in the future[\s\S]*1 withdrawn vehicles? (is|are) dated in the future/,
    );
    expect((await world.live(48 + 13 * 24)).report.dealers[0]?.notes).toEqual([]);
    expect((await world.files()).has(page)).toBe(true);
    await world.live(48 + 15 * 24);
    expect((await world.files()).has(page)).toBe(false);
  });
});
