import { defineConfig } from 'vitest/config';

/** Lighthouse measures time, so no other lane may run at the same time. */
export default defineConfig({
  test: {
    include: ['test/lighthouse/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 1,
    // A busy machine also blocks the page's thread, so a page passes if one of three runs does.
    retry: 2,
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
});
