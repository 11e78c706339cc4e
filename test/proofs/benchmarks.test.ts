import { expect, it } from 'vitest';
import { MEASUREMENTS, tryBenchmark } from '../support/benchmarks.ts';

it.each(MEASUREMENTS)(
  'npm run bench -- %s --short completes and prints its table',
  async (name) => {
    expect(await tryBenchmark(name)).toEqual({ exitCode: 0, stderr: '', hasTable: true });
  },
);
