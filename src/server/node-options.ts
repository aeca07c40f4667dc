import { isSmallMachine } from '../lib/process.ts'
import type { Role } from './role.ts'

/**
 * How V8 collects garbage in the intake of a machine that has memory for it. In a burst thousands of records wait for their commit at once:
 * with a young generation that has room for them, V8 collects a quarter as often, and finds most of it garbage by then; it does not grow that
 * large by itself. With few dongles it would take the process to be idle, collect everything again and again and throw compiled code away,
 * for 100 MB of memory: a quarter of what a hundred dongles cost (docs/adr/0030). What is remembered of dongles outlives the young
 * generation, and is replaced soon after: the old one was collected every 20 s until it was left alone below so many megabytes.
 */
const GARBAGE_COLLECTION = ['--max-semi-space-size=64', '--initial-old-space-size=80', '--no-memory-reducer']

/**
 * The threads of a preview leave little garbage each time, and as many threads of V8 as there are processors look for it together: a
 * tenth of what a preview takes the api (docs/adr/0034).
 */
const ONE_COLLECTOR = ['--no-parallel-scavenge']

/**
 * With each collection of all memory, V8 forgets what it compiled of functions that are made anew with each batch. They are short, so it
 * compiled each of them again as soon as it noticed it, some 75 with each collection: 6 % of a burst's CPU. It waits twice as long with these
 * options, for short ones as for others. Later versions count something else (docs/adr/0030).
 */
const PATIENT_COMPILER = process.versions.v8.startsWith('11.')
  ? ['--max-bytecode-size-for-early-opt=0', '--ticks-before-optimization=6']
  : []

/** @returns what Node is told that runs a role. */
export function nodeOptionsOf(role: Role): readonly string[] {
  if (role === 'api') return ONE_COLLECTOR
  return isSmallMachine() ? PATIENT_COMPILER : [...GARBAGE_COLLECTION, ...PATIENT_COMPILER]
}
