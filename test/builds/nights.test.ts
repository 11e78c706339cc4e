import { rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { getMediaByDealerResponseSchema } from '../../src/contract/media.ts';
import { addVehicles, dealerOne, type Later, openFirstNight } from '../support/disks.ts';
import { forAllTests } from '../support/for-all-tests.ts';

const first = await forAllTests(openFirstNight());
const { service } = first;

describe('a build after a good one', () => {
  it('accepts one named loss, and not the next one', async () => {
    await using world = await first.later();
    dealerOne(world).vehicles.splice(0, 5);
    const held = await world.live(24);
    const token = /--accept-loss (\S+)/.exec(held.report.attention[0]?.fix ?? '')?.[1] ?? '';
    const accepted = await world.live(25, { acceptLoss: [token] });
    expect(accepted.report.dealers[0]).toMatchObject({
      state: 'fresh',
      vehicles: { used: 5, withdrawn: 5 },
    });
    dealerOne(world).vehicles.splice(0);
    const next = await world.live(49, { acceptLoss: [token] });
    expect(next.report.dealers[0]?.state).toBe('held');
  });

  it('accepts one named loss of media, and not the next loss', async () => {
    await using world = await first.later();
    for (const vehicle of dealerOne(world).vehicles) vehicle.mediaList = [];
    const held = await world.live(24, { strict: true });
    expect([held.exitCode, held.report.dealers[0]?.state]).toEqual([8, 'held']);
    const token = /--accept-loss (\S+)/.exec(held.report.attention[0]?.fix ?? '')?.[1] ?? '';
    const accepted = await world.live(25, { acceptLoss: [token], strict: true });
    expect(accepted.exitCode).toBe(0);
    expect(accepted.report.dealers[0]).toMatchObject({
      state: 'fresh',
      vehicles: { used: 10 },
      pictures: { used: 0 },
    });
    dealerOne(world).vehicles.splice(0);
    const next = await world.live(49, { acceptLoss: [token] });
    expect(next.report.dealers[0]?.problem?.code).toBe('stock-vehicle-loss');
  });

  it('stops immediately when interrupted, without publishing', async () => {
    await using world = await first.later();
    const controller = new AbortController();
    service.faults.set({ route: 'media', delayMs: 200 });
    setTimeout(() => controller.abort(), 50);
    const before = await world.files();
    const { report } = await world.live(24, { signal: controller.signal });
    expect(report.outcome).toBe('not-published');
    expect(await world.files()).toEqual(before);
  });
});

describe('thumbnails that are lost while the service is down', () => {
  it('are encoded again once, also from a changed picture', async () => {
    await using later = await first.later();
    const image = dealerOne(later).vehicles[0]?.mediaList.find(({ type }) => type === 'Image');
    later.service.data.override(Number(image?.id), { revision: 1 });
    later.service.faults.set({ route: 'media', dealerId: 7001, status: 503 });
    for (const folder of [later.published, later.cache]) {
      await rm(path.join(folder, 'media'), { recursive: true });
    }
    const { report } = await later.live(24);
    expect(report.dealers[0]?.state).toBe('degraded');
    expect(report.media?.downloaded).toBeGreaterThan(0);

    for (const disk of ['kept', 'cached', 'empty'] as const) {
      const next = await later.night(disk, 48);
      expect([disk, next.report.notes, next.report.media?.downloaded]).toEqual([disk, [], 0]);
    }
  });
});

describe('media with odd ids', () => {
  it('have a record that a new machine can read, and are not downloaded again', async () => {
    await using later = await first.later();
    const { baseUrl, mediaKey, faults } = later.service;
    const address = `${baseUrl}/PublicAPI/GetMediaByDealer?dealerId=7001&apiKey=${mediaKey}`;
    const answer = getMediaByDealerResponseSchema.parse(await (await fetch(address)).json());
    const ids = [-1, -7, 0, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
    for (const [index, item] of answer.flatMap(({ mediaList }) => mediaList).entries())
      item.id = ids[index] ?? item.id;
    const odd = { route: 'media', dealerId: 7001, body: JSON.stringify(answer) } as const;
    faults.set(odd);
    const published = await later.live(24);
    expect(published.report.dealers[0]).toMatchObject({ state: 'fresh', pictures: { failed: 0 } });

    const next = await later.night('empty', 48);
    expect([next.report.dealers[0]?.notes, next.report.media?.downloaded]).toEqual([[], 0]);
    faults.clear();
    faults.set({ route: 'media', dealerId: 7001, status: 503 });
    const down = await later.night('empty', 48);
    expect(down.exitCode).toBe(0);
    expect(down.report.dealers.map(({ state }) => state)).toEqual(['degraded', 'fresh']);
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

describe('a response whose build published nothing', () => {
  it('does not hide a loss in several steps', async () => {
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

describe('an unchanged response', () => {
  it('is as old as the last night that returned it', async () => {
    await using world = await first.later();
    for (const day of [1, 4, 5]) {
      const { report } = await world.live(day * 24);
      if (day > 1) expect(report.outcome).toBe('unchanged');
      expect(report.dealers[0]?.ageSeconds).toBe(0);
    }
    service.faults.set({ route: 'media', dealerId: 7001, status: 503 });
    const down = await world.live(6 * 24, { strict: true });
    expect(down.report.dealers[0]).toMatchObject({ state: 'degraded', ageSeconds: 24 * 3600 });
    expect([down.exitCode, down.report.attention]).toEqual([0, []]);
    // Nights that use the snapshot do not confirm it.
    const later = await world.live(8 * 24 + 1, { strict: true });
    expect(later.report.attention).toMatchObject([{ dealer: 7001, code: 'stock-answer-old' }]);
    expect([later.exitCode, later.report.dealers[0]?.ageSeconds]).toEqual([8, 73 * 3600]);
  });
});
