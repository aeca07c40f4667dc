import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { constantImports } from './test/constant-imports.ts'
import { temporaryFolder } from './test/database-folder.ts'

// Files of one project share a graph of modules in each worker, but those of `alone`.

/** Pure code: no database, no sockets, no processes. */
const UNIT = [
  'console/src/**/*.test.ts',
  'src/{catalogue,lib,model}/**/*.test.ts',
  'src/derive/trips/*.test.ts',
  'src/derive/{assignments,identity,incidents,latest-values,rules}/**/*.test.ts',
  'src/derive/dtcs/{dtc-intervals,entry,list}.test.ts',
  'lab/simulation/**/*.test.ts',
]

/**
 * Set by `npm test`: then workers of `service` test pure code, too. They have loaded most of it; workers that do nothing else took a second of
 * processor time each.
 */
const IS_WHOLE = process.env.TEST_ALL === 'together'

/** Pages in a real browser. */
const BROWSER = ['test/console/**/*.test.ts']

/** What starts and kills processes of the service. */
const PROCESS = [
  'test/{attacks,backup,citus-worker-killed,nodes-killed,backup-archive,blocked-process,disk-full,doctor,installed-package,faults,faults-out-of-order,mqtt-faults,release,sealed-year,sealing-killed,simulated-fleet,supervisor,upgrade-database,upgrade-killed}.test.ts',
  'src/server/embedded/**/*.test.ts',
]

/**
 * In memory, services that are killed need not wait for a disk at each commit: what they promise here is about processes that die, not about
 * machines. Several have a database and its copies at once.
 */
const LEAST_FREE_BYTES = 2 ** 32

/** Each of these files has a process of its own. */
const ALONE = [
  // Measures the memory of its process.
  'test/memory-of-process.test.ts',
  // Adds to the list of facts.
  'test/toy-fact/toy.test.ts',
  // Watch how passwords are checked.
  'src/api/auth/{slow-down,token}.test.ts',
]

/** Tests in which something is waited for half of the time have more workers, once the others are done. */
const LATER = { maxWorkers: 6, sequence: { groupOrder: 1 } }

/** Begun last, what takes longest would leave processors without work; what waits for most of its time does so beside the checks, and beside what does not. */
const FIRST = [
  'test/attacks.test.ts',
  'test/backup.test.ts',
  'test/blocked-process.test.ts',
  'test/simulated-fleet.test.ts',
  'test/faults-out-of-order.test.ts',
  'src/server/embedded/server.test.ts',
  'test/upgrade-killed.test.ts',
  'test/backup-archive.test.ts',
  'test/upgrade-database.test.ts',
  'test/mqtt-faults.test.ts',
  'test/nodes-killed.test.ts',
  'test/doctor.test.ts',
  'test/console/every-page.test.ts',
  'test/console/keyboard.test.ts',
  'test/console/offline.test.ts',
  'test/console/map.test.ts',
]

/** These take longest, and wait for most of it: begun last, or all at once, they would leave processors without work. */
const LONG_WAITS = [
  'src/gateways/teltonika/protocol.test.ts',
  'lab/simulate/command.test.ts',
  'src/cli/rebuild.test.ts',
  'test/upgrade.test.ts',
  'test/toy-protocol/toy.test.ts',
]
const FILES_BETWEEN_LONG_WAITS = 25

/** Files of one project follow one another, as these share a graph of modules; the larger ones, or what took longest the last time, come first. */
class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return ['process', 'alone', 'browser', 'service', 'unit'].flatMap(name => {
      const ofProject = sorted.filter(({ project }) => project.name === name)
      const first = listed(ofProject, FIRST)
      const waits = listed(ofProject, LONG_WAITS)
      const others = ofProject.filter(file => !first.includes(file) && !waits.includes(file))
      for (const [index, file] of waits.entries()) others.splice(index * FILES_BETWEEN_LONG_WAITS, 0, file)
      return [...first, ...others]
    })
  }
}

/** Those of the files that a list has, in its order. */
function listed(files: readonly TestSpecification[], paths: readonly string[]): TestSpecification[] {
  return paths.flatMap(path => files.filter(({ moduleId }) => moduleId.endsWith(`/${path}`)))
}

export default defineConfig({
  plugins: [constantImports()],
  test: {
    pool: 'forks',
    // A young generation that need not grow first, and code that is optimised only when it runs for long: tests take 5 % less processor time.
    execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=32', '--interrupt-budget=500000'],
    setupFiles: ['test/same-inputs.ts'],
    // Two more than it has CPUs to run on: pages in a browser draw, and processes look for work, for as long as they are there.
    maxWorkers: 4,
    // No test is about these: a machine that does other things at the time may be ten times as slow as alone.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // To look takes time from what is waited for.
    expect: { poll: { timeout: 100_000, interval: 150 } },
    sequence: { sequencer: ByProject },
    // Each project would compile all modules anew; beside the packages, so it goes when they do.
    experimental: { fsModuleCache: true },
    projects: [
      ...(IS_WHOLE
        ? []
        : [{ extends: true as const, test: { name: 'unit', include: UNIT, isolate: false, ...LATER } }]),
      {
        extends: true,
        test: {
          name: 'service',
          include: ['src/**/*.test.ts', 'lab/**/*.test.ts', 'test/**/*.test.ts', ...(IS_WHOLE ? UNIT : [])],
          exclude: [...(IS_WHOLE ? [] : UNIT), ...BROWSER, ...PROCESS, ...ALONE],
          isolate: false,
          globalSetup: ['test/global-setup.ts'],
          ...LATER,
        },
      },
      {
        extends: true,
        test: {
          name: 'process',
          include: PROCESS,
          isolate: false,
          env: { TMPDIR: temporaryFolder(LEAST_FREE_BYTES) },
          globalSetup: ['test/global-setup.ts', 'test/program-setup.ts'],
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE, globalSetup: ['test/global-setup.ts'] } },
      {
        extends: true,
        test: {
          name: 'browser',
          include: BROWSER,
          isolate: false,
          globalSetup: ['test/global-setup.ts', 'test/console/global-setup.ts'],
        },
      },
    ],
  },
})
