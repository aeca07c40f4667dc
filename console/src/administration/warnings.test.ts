import { expect, test } from 'vitest'
import type { Machine, ServicePart } from '../api/schema.ts'
import { textsIn } from '../language/language.ts'
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
const titlesOf = (changed: Partial<Machine> | null, parts: readonly ServicePart[] = [READY]) => {
  const state = { parts: [...parts], machine: changed && { ...WELL, ...changed } }
  return [...warningsOf(state, textsIn('operation'))].map(({ title }) => title.replaceAll(/\s/g, ' '))
}

test('a service that is well has none, and what is not known is none', () => {
  expect(titlesOf({})).toEqual([])
  const unknown = { underivedSeconds: null, disk: null, backup: null, clockDifferenceSeconds: null }
  expect(titlesOf(unknown)).toEqual([])
  expect(titlesOf(null)).toEqual([])
})

test('each figure that is bad makes one', () => {
  const disk = (freeBytes: number, daysLeft: number | null) => ({ disk: { freeBytes, sizeBytes: 100e9, daysLeft } })
  expect(titlesOf(disk(80e9, 13))).toEqual(['The disk is filling up'])
  expect(titlesOf(disk(80e9, 15))).toEqual([])
  expect(titlesOf(disk(4e9, null))).toEqual(['The disk is filling up'])
  expect(titlesOf({ backup: null })).toEqual(['No backups are made'])
  expect(titlesOf({ backup: { ageSeconds: null, logLagSeconds: 2 } })).toEqual(['There is no backup yet'])
  expect(titlesOf({ backup: { ageSeconds: 200_000, logLagSeconds: 2000 } })).toEqual([
    'The newest backup is 55 h 33 min old',
    'The last 33 min are in no backup',
  ])
  expect(titlesOf({ underivedSeconds: 301 })).toEqual(['Trips and latest values are 5 min behind'])
  expect(titlesOf({ clockDifferenceSeconds: -31 })).toEqual(['The clocks of machine and database differ by 31 s'])
  const job = { name: 'retention', sinceTimestamp: '2026-01-15T08:00:00.000Z', failures: 3 }
  expect(titlesOf({ failingJobs: [job, job] })).toEqual([
    'A background job fails: retention',
    'A background job fails: retention',
  ])
})

test('parts come first, with their reason', () => {
  const storing = {
    name: 'storing',
    status: 'failing',
    reason: 'The disk of the database is full: nothing was stored.',
    sinceTimestamp: '2026-01-15T10:31:00.000Z',
  } as const
  const titles = titlesOf({ underivedSeconds: 1000 }, [READY, storing])
  expect(titles).toEqual([expect.stringContaining('cannot be stored, since 15 Jan'), expect.stringContaining('behind')])
})
