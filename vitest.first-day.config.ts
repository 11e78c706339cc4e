import { defineConfig } from 'vitest/config';

/** Installs for real, so it needs the registry; two files at a time, since much of it waits. */
export default defineConfig({
  test: {
    include: ['test/first-day/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 2,
    testTimeout: 600_000,
    hookTimeout: 300_000,
  },
});
