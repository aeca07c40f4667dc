import { isSmallMachine } from '../lib/process.ts'
import type { Role } from './role.ts'

/**
 * Options of V8 for the intake, on a machine that has memory for them; a flag stays here only if it gains more than a tenth (docs/adr/0030).
 * In a burst thousands of records wait for their commit at once: with room for them in the young generation, V8 collects a quarter as often.
 * With few dongles V8 would take the process to be idle and collect everything again and again, a quarter of what a hundred dongles cost.
 */
const GARBAGE_COLLECTION = ['--max-semi-space-size=64', '--no-memory-reducer']

/** @returns the arguments of Node for the process of a role */
export function nodeOptionsOf(role: Role): readonly string[] {
  return role === 'intake' && !isSmallMachine() ? GARBAGE_COLLECTION : []
}
