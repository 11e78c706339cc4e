import { defineConfig } from 'vitest/config';

/** Needs Ceph's ceph-mon, ceph-osd and radosgw, and redis-server, on the PATH. */
export default defineConfig({
  test: {
    include: ['test/s3/*.test.ts'],
    maxWorkers: 1,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
