import { expect, it } from 'vitest'
import type { Address } from '../api/types.ts'
import { loadLanguage } from '../language/language.ts'
import { incidentLines, peakText, titleOf } from './incident-line.ts'
import { madeIncident } from './made-incident.ts'

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

it('says what happened, with its peak', () => {
  expect(titleOf(madeIncident({ title: 'Trouble code', detail: 'P0301' }))).toBe('Trouble code P0301')
  expect(titleOf(madeIncident())).toBe('Speeding')
  expect(peakText(madeIncident(), 'de')).toBe('148\u00a0km/h')
  expect(peakText(madeIncident({ peak: null }), 'en')).toBe('')
})
