import { expect, it } from 'vitest'
import { LANGUAGES, loadLanguage, textsIn } from '../language/language.ts'
import { english } from '../translations/en.ts'
import { incidentRow } from './incidents-csv.ts'
import { madeIncident } from './made-incident.ts'

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
