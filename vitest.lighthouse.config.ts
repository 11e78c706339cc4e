import { defineConfig } from 'vitest/config';

/** Lighthouse measures time, so nothing else may run beside it. */
export default defineConfig({
  test: {
    include: ['test/lighthouse/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 1,
    // A busy machine blocks the page's thread too: a page passes if it does in one of three runs.
    retry: 2,
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
});
