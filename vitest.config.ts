import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Imports JSON without saying so, which Node refuses and Vite allows.
    server: { deps: { inline: ['@actions/workflow-parser'] } },
    // Measures time, so it runs alone: npm run test:lighthouse.
    exclude: ['test/lighthouse/**'],
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
