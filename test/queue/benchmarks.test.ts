import { expect, it } from 'vitest';
import { OVER_REDIS, tryBenchmark } from '../support/benchmarks.ts';

it.each(OVER_REDIS)(
  'npm run bench -- %s --short runs to its end and prints its table',
  async (name) => {
    expect(await tryBenchmark(name)).toEqual({ exitCode: 0, stderr: '', hasTable: true });
  },
);
