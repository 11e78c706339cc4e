import { defineConfig } from 'vitest/config';

/** Installs for real, so it needs the registry; it measures time, so nothing runs beside it. */
export default defineConfig({
  test: {
    include: ['test/first-day/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 300_000,
  },
});
