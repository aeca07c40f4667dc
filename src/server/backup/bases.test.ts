import { expect, test } from 'vitest'
import { type Base, chooseRestorable, type Restorable, restorableInstants } from './bases.ts'

function restorable(finishedMs: number, untilMs: number): Restorable {
  const base: Base = {
    format: 1,
    line: 'a',
    timeline: 1,
    startLsn: 0,
    stopLsn: 0,
    startedMs: finishedMs,
    finishedMs,
    major: '18',
    bytes: 0,
    writtenBytes: 0,
    folders: [],
    files: [],
  }
  return { base, untilMs, segments: [] }
}

// An old one alone, a line that ended at 50 with two backups, and the one that goes on after a restore.
const ALL = [restorable(10, 10), restorable(30, 50), restorable(40, 50), restorable(60, 70)]

test.each([
  [undefined, 60],
  [70, 60],
  [60, 60],
  [50, 40],
  [39, 30],
  [10, 10],
  [11, undefined],
  [55, undefined],
  [71, undefined],
])('to %s it begins with the backup of %s', (toMs, backupMs) => {
  expect(chooseRestorable(ALL, toMs)?.base.finishedMs).toBe(backupMs)
})

test('instants that can be restored are given as ranges', () => {
  const text = (ms: number) => new Date(ms).toISOString()
  expect(restorableInstants(ALL)).toEqual([text(10), `${text(30)} to ${text(50)}`, `${text(60)} to ${text(70)}`])
  expect(chooseRestorable([], undefined)).toBeUndefined()
})
