import { defineConfig } from 'vitest/config';

/** Needs redis-server on the PATH. Each test file starts one on a separate socket. */
export default defineConfig({
  test: {
    include: ['test/queue/*.test.ts'],
    // Workers, coordinator and Redis are separate processes, so no other file runs at the same time.
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
