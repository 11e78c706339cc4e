import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Imports JSON without saying so, which Node refuses and Vite allows.
    server: { deps: { inline: ['@actions/workflow-parser'] } },
    // Run alone: npm run test:lighthouse measures time, npm run test:first-day installs packages.
    exclude: ['test/lighthouse/**', 'test/first-day/**'],
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
