import { defineConfig } from 'vitest/config';

/** Packs the published packages, and really installs them with each package manager. Needs the registry. */
export default defineConfig({
  test: {
    include: ['test/package/**/*.test.ts'],
    globalSetup: ['test/support/packed.ts'],
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 300_000,
  },
});
