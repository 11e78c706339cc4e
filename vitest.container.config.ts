import { defineConfig } from 'vitest/config';

/** Builds an image, from Debian's packages and npm's, and runs it: needs buildah and to be root. */
export default defineConfig({
  test: {
    include: ['test/container/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 900_000,
  },
});
