import { expect, it } from 'vitest'
import { madeIncident } from '../../../test/console/made-incident.ts'
import type { Address, Incident } from '../api/types.ts'
import { LANGUAGES, loadLanguage, textsIn } from '../language/language.ts'
import { english } from '../translations/en.ts'
import { chosenIncidents, incidentLines, incidentRow, incidentsIn, isLineFound, stateOf } from './incident.ts'

await loadLanguage('de')

const address = (locality: string, country: string): Address => ({
  id: '1',
  road: '',
  houseNumber: '',
  postcode: '',
  suburb: '',
  locality,
  state: '',
  country,
  lat: 0,
  lon: 0,
})
const names = {
  cars: new Map([['VIN1', { name: 'M-TC 101' }]]),
  rules: new Map([['7', { name: 'Motorway' }]]),
  areas: new Map([['3', 'Depot']]),
}

it('names car, rule, area and place, and the country only abroad', () => {
  const at = (id: string, startAddress: Address | null) =>
    madeIncident({ id, vehicleId: 'VIN1', areaId: id === '1' ? '3' : null, startAddress })
  const lines = incidentLines(
    [
      at('1', address('Munich', 'Germany')),
      at('2', address('Berlin', 'Germany')),
      at('3', address('Vienna', 'Austria')),
      at('4', null),
    ],
    names,
  )
  expect(lines.map(line => line.address)).toEqual(['Munich', 'Berlin', 'Vienna, Austria', ''])
  expect(lines[0]).toMatchObject({ carName: 'M-TC 101', ruleName: 'Motorway', areaName: 'Depot' })
  expect(lines[1]).toMatchObject({ areaName: '' })
})

it('does without names that the person may not see', () => {
  const [line] = incidentLines([madeIncident({ areaId: '3' })], { cars: new Map(), rules: new Map(), areas: new Map() })
  expect(line).toMatchObject({ carName: 'WVWZZZ1KZAW000001', ruleName: '', areaName: '' })
})

it('is found by what its row shows, however it is typed', () => {
  const given = {
    title: 'Trouble code',
    detail: 'P0301',
    vehicleId: 'VIN1',
    areaId: '3',
    startAddress: address('Mün chen', ''),
  }
  const [line] = incidentLines([madeIncident(given)], names)
  if (!line) throw new Error('no line')
  const found = (typed: string) => isLineFound(line, typed, english.incidents)
  const all = ['', 'p0301', 'mtc101', 'motorway', 'dep', 'MÜN', 'warning', 'over']
  expect(all.filter(typed => !found(typed))).toEqual([])
  expect(['P0302', 'ongoing', 'motorwaydepot'].filter(found)).toEqual([])
})

const hour = (at: number) => new Date(at * 3_600_000).toISOString()
const listOf = (...incidents: readonly Incident[]) => ({
  objects: new Map(incidents.map(incident => [incident.id, incident])),
  next: undefined,
  knownFromMs: 0,
  modifyTimestamp: '',
  language: 'en',
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
  const list = { ...all, knownFromMs: fromMs }
  expect(ids(incidentsIn(list, { fromMs, toMs: undefined }))).toEqual(['1', '3', '2'])
  expect(ids(incidentsIn(list, { fromMs, toMs: Date.parse(hour(6)) }))).toEqual(['2'])
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
})

const line = (given: Parameters<typeof madeIncident>[0]) => ({
  incident: madeIncident(given),
  carName: 'M-TC 101',
  ruleName: 'Motorway',
  areaName: '',
  address: '',
})

it('has a cell for every title, in every language', async () => {
  await Promise.all(LANGUAGES.map(loadLanguage))
  for (const texts of LANGUAGES.map(language => textsIn('incidents', language)))
    expect(incidentRow(line({}), texts)).toHaveLength(texts.csvTitles('UTC').length)
})

it('has no end and no duration of what goes on, and says who acknowledged it', () => {
  const titles = english.incidents.csvTitles('UTC')
  const cells = incidentRow(
    line({ endTimestamp: null, acknowledged: { timestamp: '2026-01-15T09:00:00.000Z', by: 'chief', note: 'mine' } }),
    english.incidents,
  )
  const cell = (title: string) => cells[titles.indexOf(title)]
  expect([cell('State'), cell('End (UTC)'), cell('Duration (min)')]).toEqual(['ongoing', undefined, undefined])
  expect([cell('Acknowledged by'), cell('Note'), cell('Peak'), cell('Unit')]).toEqual(['chief', 'mine', 148, 'km/h'])
})
