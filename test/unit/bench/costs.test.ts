import { expect, it } from 'vitest';
import { askingCosts, monthlyCosts } from '../../../bench/support/costs.ts';

it('a month costs what changed, and asking for each file costs what exists', () => {
  const unit = {
    cpu: 0.36,
    outputs: 4,
    outputBytes: 100_000,
    coordinatorCpu: 0,
    written: 1000,
    read: 2000,
  };
  const prices = { coreHour: 0.05, written: 0.005, read: 0.0004, storage: 0.02 };
  const platform = { pictures: 1_000_000, changed: 10_000, runs: 100 };
  const dollars = monthlyCosts(platform, unit, prices).map((row) => row.dollars);
  // 100 core-hours; 4 million PUT and GET; 100,000 and 200,000 small requests; 100 GB.
  expect(dollars.map((value) => Number(value.toFixed(4)))).toEqual([5, 20, 1.6, 0.58, 2]);
  const double = monthlyCosts({ ...platform, pictures: 2_000_000 }, unit, prices);
  expect(double.map((row) => row.dollars)).toEqual([...dollars.slice(0, 4), 4]);
  expect(askingCosts(platform, unit, prices)).toBeCloseTo(160);
});
