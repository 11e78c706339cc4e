import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VehicleMediaRecord } from '../../src/contract/media.ts';
import { launchBrowser } from '../support/browser.ts';
import { type FirstDay, liveFirstDay, lookAt, newPicture, worse } from '../support/first-day.ts';

let browser: Browser;
let day: FirstDay;
/** The vehicle that is sold on the second night. */
let sold: VehicleMediaRecord;

const vehicles = (dealer: number) => day.service.data.dealers[dealer]?.vehicles ?? [];
const vehicle = (dealer: number, place: number) => {
  const found = vehicles(dealer)[place];
  if (!found) throw new Error('no such vehicle');
  return found;
};

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await day?.[Symbol.asyncDispose]();
  await browser?.close();
});

/** One site over several nights: each test continues after the previous one. */
describe('starting with an empty folder', () => {
  it('shows a site in the browser after npm create', async () => {
    day = await liveFirstDay(browser);
    const { seconds } = day;
    const three = (seconds['npm create'] ?? 0) + (seconds['npm run dev'] ?? 0);
    const total = Object.values(seconds).reduce((sum, value) => sum + value, 0);
    console.log(
      `From an empty folder to a vehicle's page in the browser: ${three.toFixed(1)} s; built and published: ${total.toFixed(1)} s\n${Object.entries(
        seconds,
      )
        .map(([step, value]) => `  ${step}: ${value} s`)
        .join('\n')}`,
    );
    // The guarantee for users.
    expect(total).toBeLessThan(15 * 60);
  });

  it('builds on a new machine on the second night with the kept cache', async () => {
    // One vehicle is sold, one is new, one has another first picture.
    sold = vehicle(0, 0);
    const [arrival] = day.arrivals;
    if (!arrival) throw new Error('no vehicle');
    vehicles(0).splice(0, 1, arrival);
    newPicture(day.service, 0, vehicle(0, 1).vrm);
    const night = await day.night('handed on');
    expect(worse(night, [day.fileOf(0, sold), day.fileOf(0, vehicle(0, 1))])).toEqual([]);
    expect(night.after.has(day.fileOf(0, arrival))).toBe(true);
    expect(night.after.get(day.fileOf(0, sold))).toMatch(/no longer|withdrawn|sold/i);
    const images = arrival.mediaList.filter(({ type }) => type === 'Image');
    expect(night.pictures).toBe(images.length + 1);
    await lookAt(browser, day.addressOf(0, arrival));
    await lookAt(browser, day.addressOf(0, vehicle(0, 1)));
  });

  it('builds on a new machine on the third night, without any cache', async () => {
    newPicture(day.service, 1, vehicle(1, 0).vrm);
    const night = await day.night('evicted');
    expect(worse(night, [day.fileOf(1, vehicle(1, 0))])).toEqual([]);
    expect(night.after.get(day.fileOf(0, sold))).toMatch(/no longer|withdrawn|sold/i);
    expect(night.pictures).toBe(1);
    expect(night.bytes).toBeLessThan(day.bytes / 5);
    await lookAt(browser, day.addressOf(1, vehicle(1, 0)));
  });

  it('keeps every page of a dealer that is down, without any cache', async () => {
    newPicture(day.service, 1, vehicle(1, 1).vrm);
    day.service.faults.set({ route: 'media', dealerId: 7001, status: 503 });
    try {
      const night = await day.night('evicted');
      expect(night.after.get(day.fileOf(0, sold))).toMatch(/no longer|withdrawn|sold/i);
      expect(worse(night, [day.fileOf(1, vehicle(1, 1))])).toEqual([]);
      expect(night.pictures).toBe(1);
      expect(night.bytes).toBeLessThan(day.bytes / 5);
    } finally {
      day.service.faults.clear();
    }
  });
});
