import { describe, expect, it } from 'vitest'
import { EVENT_TYPES } from '../../../src/catalogue/event-types.ts'
import { loadLanguage, textsIn } from '../language/language.ts'
import { EVENT_TYPE_LOOKS } from './event-types.ts'
import { digitsOf, eventTypeName, grouped, groupOf } from './measurement.ts'

await loadLanguage('de')

describe('names of event types', () => {
  it('are there in both languages for every event type of the contract, and for no other', () => {
    const names = EVENT_TYPES.map(type => type.name).sort()
    expect([...EVENT_TYPE_LOOKS.keys()].sort()).toEqual(names)
    expect(Object.keys(textsIn('eventTypes', 'en')).sort()).toEqual(names)
  })

  it.each(['en', 'de'] as const)('are words, and different ones, in %s', language => {
    const names = EVENT_TYPES.map(type => eventTypeName(type.name, language))
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter(name => name.trim() === '' || name.includes('_'))).toEqual([])
  })

  it('of a type that is newer than the console are readable', () => {
    expect(eventTypeName('TYRE_PRESSURE_FRONT', 'en')).toBe('Tyre pressure front')
    expect(groupOf('TYRE_PRESSURE_FRONT')).toBe('other')
    expect(eventTypeName('constructor', 'en')).toBe('Constructor')
    expect(digitsOf('constructor')).toBe(2)
  })
})

it('items stand in their groups, in the order of the table, unknown ones last', () => {
  const types = ['ZZZ', 'VIN', 'ENGINE_RPM_MAX', 'MILEAGE', 'ENGINE_STATE', 'GPS_SPEED']
  expect(grouped(types, type => type)).toEqual([
    { group: 'driving', items: ['MILEAGE', 'GPS_SPEED'] },
    { group: 'engine', items: ['ENGINE_STATE', 'ENGINE_RPM_MAX'] },
    { group: 'identification', items: ['VIN'] },
    { group: 'other', items: ['ZZZ'] },
  ])
})
