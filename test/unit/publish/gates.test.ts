import { expect, it } from 'vitest';
import { quarantineGate, suspiciousLoss } from '../../../src/stock/refusals.ts';

const limits = { maxVehicleLoss: 0.3, minVehicleLoss: 5 };
const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `V${from + index}`);

it.each([
  ['nothing gone', numbered(20), numbered(20), false],
  ['a third of twenty gone', numbered(20), numbered(13, 7), true],
  ['thirty per cent exactly', numbered(20), numbered(14, 6), false],
  ['half of six: fewer than five', numbered(6), numbered(3), false],
  ['all of one gone', numbered(1), [], true],
  ['all swapped for as many others', numbered(20), numbered(20, 100), true],
  ['nothing before', [], numbered(3), false],
])('loss gate: %s', (_, before, after, suspicious) => {
  expect(suspiciousLoss(before, after, limits).length > 0).toBe(suspicious);
});

it.each([
  [10, 2, false],
  [10, 3, true],
  [0, 0, false],
  [1, 1, true],
])('quarantine gate: %i received, %i quarantined', (received, quarantined, refused) => {
  const answer = { counts: { vehicles: { received, quarantined }, quarantine: [] } } as never;
  const config = { publish: { maxQuarantined: 0.2 } };
  expect(Boolean(quarantineGate(answer, { id: 7, name: 'Seven' }, config))).toBe(refused);
});
