import { defineConfig } from 'vitest/config'

/** Pure code: no database, no sockets, no processes. Its files share one graph of modules. */
const UNIT = [
  'console/src/**/*.test.ts',
  'src/{catalogue,lib,model}/**/*.test.ts',
  'src/facts/*/derive/**/*.test.ts',
  'src/tools/simulation/**/*.test.ts',
]

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    // No test is about these: a machine that does other things at the time may be ten times as slow as alone.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    projects: [
      { extends: true, test: { name: 'unit', include: UNIT, isolate: false } },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: UNIT,
          globalSetup: ['test/global-setup.ts'],
        },
      },
    ],
  },
})
