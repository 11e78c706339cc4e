import { describe, expect, it } from 'vitest';
import { forAllTests } from '../support/for-all-tests.ts';
import { dealerOne, firstNight, startWorld, type World, worldFrom } from '../support/world.ts';

/** Which answer is the last good one: the one that was published, whatever came since. */

const YEAR = 365 * 24;
const service = await forAllTests(startWorld());
const first = await forAllTests(firstNight(service));

/** Nights on which another dealer is refused, so that nothing is published. */
async function refused(world: World, hours: number): Promise<void> {
  service.faults.set({ route: 'media', dealerId: 7002, status: 403 });
  expect((await world.night(hours)).report.outcome).toBe('not-published');
  service.faults.clear();
}

describe('an answer whose build published nothing', () => {
  it('is not what later answers are compared with', async () => {
    await using world = await worldFrom(service, first.path);
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
    const broken = await world.night(24);
    expect(broken.report.problem?.code).toBe('publish-too-many-pictures-failed');
    service.faults.clear();
    vehicles.splice(0, vehicles.length, ...honest);
    const { exitCode, report } = await world.night(48);
    expect(exitCode).toBe(0);
    expect(report.dealers[0]).toMatchObject({ state: 'fresh', vehicles: { used: 10 } });
  });

  it('does not hide a loss that came in steps', async () => {
    await using world = await worldFrom(service, first.path);
    const { vehicles } = dealerOne(world);
    vehicles.splice(0, 2);
    await refused(world, 24);
    vehicles.splice(0, 2);
    await refused(world, 48);
    vehicles.splice(0, 1);
    const before = await world.site();
    const { exitCode, report } = await world.night(72);
    expect(exitCode).toBe(0);
    expect(report.dealers[0]).toMatchObject({ state: 'held', vehicles: { received: 5, used: 10 } });
    expect(await world.site()).toEqual(before);
  });
});

describe('a build with a clock ten years ahead', () => {
  it('is told of, and keeps no withdrawn page for years', async () => {
    await using world = await worldFrom(service, first.path);
    const page = 'dealer-1/ab10xyz/index.html';
    dealerOne(world).vehicles.splice(0, 1);
    expect((await world.night(10 * YEAR)).exitCode).toBe(0);
    expect((await world.site()).get(page)).toContain('no longer available');

    const next = await world.night(48);
    expect(next.exitCode).toBe(0);
    expect(next.report.dealers[0]?.notes.join('\n')).toMatch(
      /is dated 2036-[^\n]*in the future[\s\S]*1 withdrawn vehicles? (is|are) dated in the future/,
    );
    expect((await world.night(48 + 13 * 24)).report.dealers[0]?.notes).toEqual([]);
    expect((await world.site()).has(page)).toBe(true);
    await world.night(48 + 15 * 24);
    expect((await world.site()).has(page)).toBe(false);
  });
});
