import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Imports JSON without saying so, which Node refuses and Vite allows.
    server: { deps: { inline: ['@actions/workflow-parser'] } },
    // npm test runs test/unit, test/hostile and test/integration. Two other lanes use this file: npm run test:builds
    // (whole builds, several nights) and npm run test:browser. Lanes with their own file: npm run test:lighthouse measures time, npm run test:first-day and
    // test:package install packages, npm run test:queue and test:s3 need a Redis and a Ceph,
    // npm run test:container builds an image, npm run test:proofs takes long (random values among them).
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
    // Few processes, each for many test files: what they import is read, compiled and warm once. One more
    // than cores, since tests wait for browsers and other processes a quarter of their time.
    isolate: false,
    maxWorkers: availableParallelism() + 1,
    // For processes that tests start, as `npm run build` does: loading the program is most of what they do.
    env: { NODE_COMPILE_CACHE: path.resolve('node_modules/.cache/compiled') },
    testTimeout: 120_000,
    // Of one second, a busy machine may spend all on one frame.
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 180_000,
  },
});
