import { expect, it } from 'vitest';
import type { VehicleMediaRecord } from '../../src/contract/media.ts';
import { addVehicles, dealerOne, down, type Later } from '../support/disks.ts';
import { sharedFirstNight } from '../support/later-night.ts';

const first = await sharedFirstNight();
const { service } = first;

it.each<[string, (vehicles: VehicleMediaRecord[]) => unknown, object]>([
  [
    'vehicles',
    (vehicles) => vehicles.splice(0, 5),
    { state: 'fresh', vehicles: { used: 5, withdrawn: 5 } },
  ],
  [
    'media',
    (vehicles) => {
      for (const vehicle of vehicles) vehicle.mediaList = [];
    },
    { state: 'fresh', vehicles: { used: 10 }, pictures: { used: 0 } },
  ],
])('a build accepts one named loss of %s, and not the next loss', async (_, lose, accepted) => {
  await using world = await first.later();
  lose(dealerOne(world).vehicles);
  const held = await world.live(24, { strict: true });
  expect([held.exitCode, held.report.dealers[0]?.state]).toEqual([8, 'held']);
  const token = /--accept-loss (\S+)/.exec(held.report.attention[0]?.fix ?? '')?.[1] ?? '';
  const night = await world.live(25, { acceptLoss: [token], strict: true });
  expect(night.exitCode).toBe(0);
  expect(night.report.dealers[0]).toMatchObject(accepted);
  dealerOne(world).vehicles.splice(0);
  const next = await world.live(49, { acceptLoss: [token] });
  expect(next.report.dealers[0]).toMatchObject({
    state: 'held',
    problem: { code: 'stock-vehicle-loss' },
  });
});

/** Nights on which all dealers respond, and failed pictures of another dealer's new vehicles block the publish. */
async function unpublished(world: Later, hours: number): Promise<void> {
  const vehicles = world.service.data.dealers[1]?.vehicles ?? [];
  const honest = [...vehicles];
  addVehicles(vehicles);
  service.faults.set({ route: 'picture', status: 404 });
  const { report } = await world.live(hours);
  expect(report.problem?.code).toBe('publish-too-many-pictures-failed');
  expect(report.dealers.map(({ source }) => source)).toEqual(['live', 'live']);
  service.faults.clear();
  vehicles.splice(0, vehicles.length, ...honest);
}

it('a response whose build published nothing does not hide a loss in several steps', async () => {
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

it('an unchanged response is as old as the last night that returned it', async () => {
  await using world = await first.later();
  for (const day of [1, 4, 5]) {
    const { report } = await world.live(day * 24);
    if (day > 1) expect(report.outcome).toBe('unchanged');
    expect(report.dealers[0]?.ageSeconds).toBe(0);
  }
  down(world);
  const next = await world.live(6 * 24, { strict: true });
  expect(next.report.dealers[0]).toMatchObject({ state: 'degraded', ageSeconds: 24 * 3600 });
  expect([next.exitCode, next.report.attention]).toEqual([0, []]);
  // Nights that use the snapshot do not confirm it.
  const later = await world.live(8 * 24 + 1, { strict: true });
  expect(later.report.attention).toMatchObject([{ dealer: 7001, code: 'stock-answer-old' }]);
  expect([later.exitCode, later.report.dealers[0]?.ageSeconds]).toEqual([8, 73 * 3600]);
});
