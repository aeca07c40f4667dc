import { expect, test } from 'vitest'
import type { Machine } from '../../api/schema.ts'
import { warningsOf } from './warnings.tsx'

const WELL: Machine = {
  underivedSeconds: 0.4,
  databaseBytes: 1e9,
  disk: { freeBytes: 80e9, sizeBytes: 100e9, daysLeft: null },
  backup: { ageSeconds: 3600, logLagSeconds: 2 },
  processes: [],
  standbys: [],
  clockDifferenceSeconds: 0.01,
  pending: [],
  failingJobs: [],
}
const READY = { name: 'database', status: 'ready', reason: null, sinceTimestamp: null } as const
const kindsOf = (changed: Partial<Machine>) =>
  warningsOf({ parts: [READY], machine: { ...WELL, ...changed } }).map(({ kind }) => kind)

test('a service that is well has none, and what is not known is none', () => {
  expect(kindsOf({})).toEqual([])
  const unknown = { underivedSeconds: null, disk: null, backup: null, clockDifferenceSeconds: null }
  expect(kindsOf(unknown)).toEqual([])
  expect(warningsOf({ parts: [READY], machine: null })).toEqual([])
})

test('each figure that is bad makes one', () => {
  const disk = (freeBytes: number, daysLeft: number | null) => ({ disk: { freeBytes, sizeBytes: 100e9, daysLeft } })
  expect(kindsOf(disk(80e9, 13))).toEqual(['disk'])
  expect(kindsOf(disk(80e9, 15))).toEqual([])
  expect(kindsOf(disk(4e9, null))).toEqual(['disk'])
  expect(kindsOf({ backup: null })).toEqual(['backups off'])
  expect(kindsOf({ backup: { ageSeconds: null, logLagSeconds: 2 } })).toEqual(['no backup'])
  expect(kindsOf({ backup: { ageSeconds: 200_000, logLagSeconds: 2000 } })).toEqual(['old backup', 'log not archived'])
  expect(kindsOf({ underivedSeconds: 301 })).toEqual(['underived'])
  expect(kindsOf({ clockDifferenceSeconds: -31 })).toEqual(['clock'])
  const job = { name: 'retention', sinceTimestamp: '2026-01-15T08:00:00.000Z', failures: 3 }
  expect(kindsOf({ failingJobs: [job, job] })).toEqual(['job', 'job'])
})

test('parts come first, with their reason', () => {
  const storing = {
    name: 'storing',
    status: 'failing',
    reason: 'The disk of the database is full: nothing was stored.',
    sinceTimestamp: '2026-01-15T10:31:00.000Z',
  } as const
  const warnings = warningsOf({ parts: [READY, storing], machine: { ...WELL, underivedSeconds: 1000 } })
  expect(warnings.map(({ kind }) => kind)).toEqual(['part', 'underived'])
  expect(warnings[0]).toEqual({ kind: 'part', part: storing })
})
