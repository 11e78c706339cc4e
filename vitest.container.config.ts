import { defineConfig } from 'vitest/config';

/** Builds an image from Debian and npm packages, and runs it. Needs buildah and root. */
export default defineConfig({
  test: {
    include: ['test/container/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 900_000,
  },
});
