import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/**
 * Tests that try the same thing many times: kills at many moments, random sites and edits, formats of pictures,
 * planted records, every command of the documentation, every file that the doctor and a build read.
 */
export default defineConfig({
  test: {
    include: ['test/proofs/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // As in vitest.config.ts.
    isolate: false,
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 180_000,
  },
});
