import { describe, expect, test } from 'vitest';
import { DAY_MS, gaps, planDays, reachOf, union } from '../../../src/batches/model/reach.ts';

const at = (day: number) => day * DAY_MS;
const span = (from: number, until: number) => ({ from: at(from), until: at(until) });

test('touching and overlapping stretches are one; the rest are gaps', () => {
  expect(union([span(5, 8), span(1, 3), span(3, 4)])).toEqual([span(1, 4), span(5, 8)]);
  expect(gaps([span(5, 8), span(1, 4)], at(10))).toEqual([span(4, 5), span(8, 10)]);
  expect(gaps([span(1, 12)], at(10))).toEqual([]);
  expect(gaps([], at(10))).toEqual([]);
});

describe('days to ask for', () => {
  const base = { now: at(100), witness: undefined, usual: 30, most: 90 };
  test.each([
    ['nothing was pulled yet', { open: [] }, { days: 30, needed: 30 }],
    ['the last pull is inside the window', { open: [span(93, 100)] }, { days: 30, needed: 8 }],
    ['it is just inside', { open: [span(71, 100)] }, { days: 30, needed: 30 }],
    [
      'it is just inside: no known batch is needed',
      { open: [span(71, 100)], witness: at(55) },
      { days: 30, needed: 30 },
    ],
    ['it is older: a day to spare', { open: [span(60, 100)] }, { days: 41, needed: 41 }],
    [
      'it is older: back to a known batch',
      { open: [span(60, 100)], witness: at(55) },
      { days: 47, needed: 41 },
    ],
    ['the limit is in the way', { open: [span(2, 100)] }, { days: 90, needed: 99 }],
    ['the limit is below the window', { open: [span(2, 100)], most: 10 }, { days: 30, needed: 99 }],
  ])('%s', (_, change, expected) => {
    expect(planDays({ ...base, ...change })).toEqual(expected);
  });
});

describe('what an answer is the whole truth for', () => {
  const base = { now: at(100), days: 30, witnesses: [], oldestInAnswer: at(99) };
  const seen = (created: number, present: boolean) => ({ created: at(created), present });
  test.each([
    ['no batch is known: what was asked', {}, span(70, 100)],
    [
      'the oldest known one is there',
      { witnesses: [seen(72, true), seen(90, false)] },
      span(70, 100),
    ],
    [
      'the old ones are missing: from its own oldest',
      { witnesses: [seen(72, false), seen(90, true)], oldestInAnswer: at(88) },
      span(88, 100),
    ],
    ['missing at the very edge proves nothing', { witnesses: [seen(70.5, false)] }, span(70, 100)],
    [
      'a day inside the edge it proves as much as any',
      { witnesses: [seen(71, false)], oldestInAnswer: at(88) },
      span(88, 100),
    ],
    [
      'missing, and created only now',
      { witnesses: [seen(100, false)], oldestInAnswer: at(88) },
      span(88, 100),
    ],
    ['what is dated ahead proves nothing', { witnesses: [seen(101, false)] }, span(70, 100)],
    [
      'the oldest known one is there, named last',
      { witnesses: [seen(90, false), seen(72, true)] },
      span(70, 100),
    ],
    [
      'the oldest known one is missing, named last',
      { witnesses: [seen(90, true), seen(72, false)], oldestInAnswer: at(88) },
      span(88, 100),
    ],
    [
      'empty though batches are known',
      { witnesses: [seen(80, false)], oldestInAnswer: undefined },
      undefined,
    ],
  ])('%s', (_, change, expected) => {
    expect(reachOf({ ...base, ...change })).toEqual(expected);
  });
});
