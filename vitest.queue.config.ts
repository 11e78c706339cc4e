import { defineConfig } from 'vitest/config';

/** Needs a redis-server on the PATH; each test file starts one on a socket of its own. */
export default defineConfig({
  test: {
    include: ['test/queue/*.test.ts'],
    // Workers, coordinator and Redis are processes of their own: nothing else runs beside them.
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
