import { expect, it } from 'vitest'
import type { Incident } from '../api/types.ts'
import { chosenIncidents, incidentsIn, kindsOf, lengthMsOf, stateOf } from './incident-list.ts'
import { madeIncident } from './made-incident.ts'

const hour = (at: number) => new Date(at * 3_600_000).toISOString()
const listOf = (...incidents: readonly Incident[]) => ({
  incidents: new Map(incidents.map(incident => [incident.id, incident])),
  isCut: false,
  modifyTimestamp: '',
})
const ids = (incidents: readonly Incident[]) => incidents.map(({ id }) => id)

const open = madeIncident({ id: '1', startTimestamp: hour(1), endTimestamp: null })
const ended = madeIncident({ id: '2', startTimestamp: hour(5), endTimestamp: hour(6) })
const withdrawn = madeIncident({ id: '3', startTimestamp: hour(7), endTimestamp: null, deleteTimestamp: hour(9) })
const seen = madeIncident({
  id: '4',
  startTimestamp: hour(3),
  endTimestamp: hour(4),
  kind: 'TOWED',
  title: 'Towed',
  severity: 'critical',
  acknowledged: { timestamp: hour(8), by: 'chief@example.com', note: '' },
})
const all = listOf(ended, seen, withdrawn, open)

it('lists those that go on first, then the newest; withdrawn ones stay', () => {
  expect(ids(incidentsIn(all, { fromMs: 0, toMs: undefined }))).toEqual(['1', '3', '2', '4'])
  expect([open, ended, withdrawn].map(stateOf)).toEqual(['open', 'ended', 'withdrawn'])
})

it('lists what goes on whenever it began, but of other days only what began in them', () => {
  const fromMs = Date.parse(hour(4))
  expect(ids(incidentsIn(all, { fromMs, toMs: undefined }))).toEqual(['1', '3', '2'])
  expect(ids(incidentsIn(all, { fromMs, toMs: Date.parse(hour(6)) }))).toEqual(['2'])
})

it('filters by kind, severity and what is left to do', () => {
  const incidents = incidentsIn(all, { fromMs: 0, toMs: undefined })
  const chosen = (filter: object) =>
    ids(chosenIncidents(incidents, { kind: undefined, severity: undefined, state: undefined, ...filter }))
  expect(chosen({})).toEqual(['1', '3', '2', '4'])
  expect(chosen({ kind: 'TOWED' })).toEqual(['4'])
  expect(chosen({ severity: 'warning' })).toEqual(['1', '3', '2'])
  expect(chosen({ state: 'unseen' })).toEqual(['1', '2'])
  expect(chosen({ state: 'withdrawn' })).toEqual(['3'])
  expect(chosen({ state: 'open', severity: 'critical' })).toEqual([])
  expect(kindsOf(incidents)).toEqual([
    { kind: 'SPEEDING', title: 'Speeding' },
    { kind: 'TOWED', title: 'Towed' },
  ])
})

it('lasts until its end, or until now', () => {
  expect(lengthMsOf(ended, 0)).toBe(3_600_000)
  expect(lengthMsOf(open, Date.parse(hour(3)))).toBe(7_200_000)
})
