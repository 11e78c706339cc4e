import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Imports JSON without an import attribute, which Node refuses but Vite allows.
    server: { deps: { inline: ['@actions/workflow-parser'] } },
    // npm test runs test/unit, test/hostile and test/integration. Two other lanes use this file: npm run test:builds
    // (series of whole builds) and npm run test:browser. Lanes with their own file: npm run test:lighthouse measures
    // time, npm run test:first-day and test:package install packages, npm run test:queue and test:s3 need Redis and
    // Ceph, npm run test:container builds an image, and npm run test:proofs takes long.
    exclude: [
      'test/proofs/**',
      'test/property/**',
      'test/lighthouse/**',
      'test/first-day/**',
      'test/package/**',
      'test/container/**',
      'test/queue/**',
      'test/s3/**',
    ],
    globalSetup: ['test/support/folder-in-memory.ts', 'test/support/global-setup.ts'],
    sequence: { sequencer: LongestFirst },
    // Few processes, each for many test files, so that imports are loaded and compiled once. One more than cores,
    // because tests wait for browsers and other processes a quarter of their time.
    isolate: false,
    maxWorkers: availableParallelism() + 1,
    // For processes that tests start, as in `npm run build`: they spend most of their time loading the program.
    env: { NODE_COMPILE_CACHE: path.resolve('node_modules/.cache/compiled') },
    testTimeout: 120_000,
    // The default is one second, which a busy machine may need for a single frame.
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 180_000,
  },
});
