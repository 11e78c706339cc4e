import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests without a build, a browser or a command, for editing and coverage. */
export default defineConfig({
  test: {
    include: ['test/unit/**/*.test.ts'],
    isolate: false,
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/**/*.d.ts'],
      reporter: ['text', 'json-summary'],
      // The current coverage, as a minimum.
      thresholds: { lines: 44, statements: 43, functions: 42, branches: 39 },
    },
  },
});
