import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Lanes of their own: one measures time, the others need a Redis and a Ceph.
    exclude: ['test/lighthouse/**', 'test/queue/**', 'test/s3/**'],
    globalSetup: ['test/support/global-setup.ts'],
    // Builds and browsers use all cores by themselves.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/**/*.d.ts'],
      reporter: ['text', 'json-summary'],
    },
  },
});
