import { defineConfig } from 'vitest/config';

/** Really installs packages, so it needs the registry. Two files at a time, because they mostly wait. */
export default defineConfig({
  test: {
    include: ['test/first-day/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 2,
    testTimeout: 600_000,
    hookTimeout: 300_000,
  },
});
