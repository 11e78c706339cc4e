import { defineConfig } from 'vitest/config';

/** Packs what is published and installs it for real, with each package manager: it needs the registry. */
export default defineConfig({
  test: {
    include: ['test/package/**/*.test.ts'],
    globalSetup: ['test/support/packed.ts'],
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 300_000,
  },
});
