import { describe, expect, it } from 'vitest';
import { schedule, seededRandom } from '../../../bench/support/scheduling.ts';

describe('schedule', () => {
  it('hands each job to the worker that is free first', () => {
    expect(schedule([4, 1, 1, 1, 1], 2)).toEqual({ makespan: 4, ends: [4, 1, 2, 3, 4], busy: 1 });
    expect(schedule([3, 3, 3], 2)).toMatchObject({ makespan: 6, busy: 0.75 });
    expect(schedule([], 2)).toEqual({ makespan: 0, ends: [], busy: 0 });
  });
});

describe('seededRandom', () => {
  it('gives the same numbers from 0 to 1 in every run', () => {
    const [one, other] = [seededRandom(7), seededRandom(7)];
    const numbers = Array.from({ length: 1000 }, one);
    expect(Array.from({ length: 1000 }, other)).toEqual(numbers);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(1);
    expect(new Set(numbers).size).toBeGreaterThan(990);
  });
});
