import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

/**
 * Tests with many repetitions: kills at many moments, random values, sites and edits, formats of pictures, forged
 * records, every command of the documentation, every file that the doctor and a build read.
 */
export default defineConfig({
  test: {
    include: ['test/{proofs,property}/*.test.ts'],
    globalSetup: ['test/support/folder-in-memory.ts', 'test/support/global-setup.ts'],
    sequence: { sequencer: LongestFirst },
    // As in vitest.config.ts.
    isolate: false,
    maxWorkers: Math.max(2, availableParallelism()),
    // For processes that tests start, as in `npm run build`: they spend most of their time loading the program.
    env: { NODE_COMPILE_CACHE: path.resolve('node_modules/.cache/compiled') },
    testTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 180_000,
  },
});
