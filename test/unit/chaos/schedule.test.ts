import { expect, it } from 'vitest';
import { scheduleOf } from '../../chaos/schedule.ts';

const SEEDS = Array.from({ length: 400 }, (_, index) => index + 1);
const schedules = SEEDS.map((seed) => scheduleOf(seed, 6));
const nights = schedules.flatMap((schedule) => schedule.nights);
const share = (is: (night: (typeof nights)[number]) => unknown) =>
  nights.filter(is).length / nights.length;

it('replays the same nights for the same seed', () => {
  expect(SEEDS.map((seed) => scheduleOf(seed, 6))).toEqual(schedules);
  expect(new Set(schedules.map((schedule) => JSON.stringify(schedule))).size).toBe(SEEDS.length);
});

it('covers every disk, loss, outage and kind of night', () => {
  for (const disk of ['kept', 'restored', 'empty', 'unreachable']) {
    expect(share((night) => night.disk === disk)).toBeGreaterThan(0.12);
  }
  for (const lost of ['media', 'records', 'all']) {
    expect(share((night) => night.lost === lost)).toBeGreaterThan(0.04);
  }
  for (const outage of ['status', 'refused', 'hang']) {
    expect(share((one) => one.disk === 'unreachable' && one.outage === outage)).toBeGreaterThan(
      0.02,
    );
  }
  expect(share(({ compared }) => compared)).toBeGreaterThan(0.25);
  expect(share(({ thin }) => thin)).toBeGreaterThan(0.2);
  expect(share(({ thin, killAfter }) => thin && killAfter !== undefined)).toBeGreaterThan(0.05);
  expect(share(({ killAfter }) => killAfter !== undefined)).toBeGreaterThan(0.2);
  expect(share(({ rotated }) => rotated.length > 0)).toBeGreaterThan(0.05);
  expect(share(({ wrongKey }) => wrongKey.length > 0)).toBeGreaterThan(0.04);
  expect(share(({ accepts }) => accepts)).toBeGreaterThan(0.2);
  expect(share(({ hours }) => hours > 72)).toBeGreaterThan(0.15);
  expect(share(({ hours }) => hours < 0)).toBeGreaterThan(0.06);
});

it('covers every fault of a service, clock or domain', () => {
  const alters = (answer: string) =>
    share(({ faults }) => faults.some(({ alteration }) => alteration?.answer === answer));
  expect(alters('bare')).toBeGreaterThan(0.1);
  expect(alters('malformed')).toBeGreaterThan(0.06);
  expect(share(({ edits }) => edits.some(({ kind }) => kind === 'odd id'))).toBeGreaterThan(0.08);
  expect(share(({ ahead }) => ahead > 24)).toBeGreaterThan(0.06);
  expect(share(({ detached, disk }) => detached && disk === 'empty')).toBeGreaterThan(0.03);
});

it('lets two dealers fail in different ways at the same time', () => {
  const differ = share(({ faults }) => {
    const failing = faults.filter(({ answer, fault }) => answer && fault.dealerId !== undefined);
    return (
      new Set(failing.map(({ fault }) => fault.dealerId)).size > 1 &&
      new Set(failing.map(({ answer }) => answer)).size > 1
    );
  });
  expect(differ).toBeGreaterThan(0.25);
});

it('compares no night with a random result', () => {
  for (const { compared, disk, killAfter, faults } of nights) {
    if (!compared) continue;
    expect([disk === 'unreachable', killAfter]).toEqual([false, undefined]);
    for (const { fault } of faults) {
      expect([fault.times, fault.hang, fault.delayMs]).toEqual([undefined, undefined, undefined]);
    }
  }
});
