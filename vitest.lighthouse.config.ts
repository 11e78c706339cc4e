import { defineConfig } from 'vitest/config';

/** Lighthouse measures time, so nothing else may run beside it. */
export default defineConfig({
  test: {
    include: ['test/lighthouse/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
});
