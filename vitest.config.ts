import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'console/src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // No test is about these: a machine that does other things at the time may be ten times as slow as alone.
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
})
