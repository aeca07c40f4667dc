import { afterEach, describe, expect, it } from 'vitest'
import { EVENT_TYPES } from '../../../src/catalogue/event-types.ts'
import { loadLanguage, speak, textsIn } from '../language/language.ts'
import { EVENT_TYPE_LOOKS } from './event-types.ts'
import { eventTypeName, grouped, looksOf, valueText } from './measurement.ts'

await loadLanguage('de')
afterEach(() => speak('en'))

describe('names of event types', () => {
  it('are there in both languages for every event type of the contract, and for no other', () => {
    const names = EVENT_TYPES.map(type => type.name).sort()
    expect([...EVENT_TYPE_LOOKS.keys()].sort()).toEqual(names)
    expect(Object.keys(textsIn('eventTypes', 'en')).sort()).toEqual(names)
  })

  it.each(['en', 'de'] as const)('are words, and different ones, in %s', language => {
    speak(language)
    const names = EVENT_TYPES.map(type => eventTypeName(type.name))
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter(name => name.trim() === '' || name.includes('_'))).toEqual([])
  })

  it('of a type that is newer than the console are readable', () => {
    expect(eventTypeName('TYRE_PRESSURE_FRONT')).toBe('Tyre pressure front')
    expect(looksOf('TYRE_PRESSURE_FRONT')).toMatchObject({ group: 'other', digits: 2 })
    expect(eventTypeName('constructor')).toBe('Constructor')
  })
})

it('items stand in their groups, in the order of the table, unknown ones last', () => {
  const types = ['ZZZ', 'VIN', 'ENGINE_RPM_MAX', 'MILEAGE', 'ENGINE_STATE', 'GPS_SPEED']
  const groups = grouped(types.map(eventType => ({ eventType })))
  expect(groups.map(({ group, items }) => ({ group, items: items.map(item => item.eventType) }))).toEqual([
    { group: 'driving', items: ['MILEAGE', 'GPS_SPEED'] },
    { group: 'engine', items: ['ENGINE_STATE', 'ENGINE_RPM_MAX'] },
    { group: 'identification', items: ['VIN'] },
    { group: 'other', items: ['ZZZ'] },
  ])
})

const text = (eventType: string, value: number | boolean | string, unit?: string) =>
  ['en', 'de'].map(tag => {
    speak(tag)
    return valueText({ eventType, value, unit })
  })

describe('a value is told', () => {
  it.each([
    ['BATTERY_VOLTAGE', 12.487, 'V', '12.49\u00a0V', '12,49\u00a0V'],
    ['MILEAGE', 123456.4, 'km', '123,456\u00a0km', '123.456\u00a0km'],
    ['FUEL_LEVEL_PERCENT', 45.2, '%', '45%', '45\u00a0%'],
    ['GPS_SATELLITES_IN_USE', 7, '', '7', '7'],
    ['ENGINE_RUN_TIME', 5400, 's', '1\u00a0h\u00a030\u00a0min', '1\u00a0h\u00a030\u00a0min'],
    ['HV_BATTERY_CHARGING_DURATION', 42, 'min', '42\u00a0min', '42\u00a0min'],
    ['HV_BATTERY_REMAINING_CHARGING_DURATION', -1, 's', '-1\u00a0s', '-1\u00a0s'],
  ])('%s %s %s with the digits that count', (eventType, value, unit, english, german) => {
    expect(text(eventType, value, unit)).toEqual([english, german])
  })

  it.each([
    ['IS_IGNITION_ON', true, 'on', 'an'],
    ['IS_MOVING', false, 'no', 'nein'],
    ['ALARM_SYSTEM', true, 'installed', 'vorhanden'],
    ['SOMETHING_NEW', true, 'yes', 'ja'],
  ])('%s %s as a word', (eventType, value, english, german) => {
    expect(text(eventType, value)).toEqual([english, german])
  })

  it.each([
    ['POSITION', 'POINT(11.5768 48.1439)', '48.1439°\u00a0N, 11.5768°\u00a0E', '48,1439°\u00a0N, 11,5768°\u00a0O'],
    ['POSITION', 'POINT(-70.6693 -33.4489)', '33.4489°\u00a0S, 70.6693°\u00a0W', '33,4489°\u00a0S, 70,6693°\u00a0W'],
    ['BATTERY_STATE', 'Very Low', 'Very low', 'Sehr schwach'],
    [
      'NETWORK_CELL_INFO',
      '262;2;1793;8123',
      'network 262-2, area 1793, cell 8123',
      'Netz 262-2, Bereich 1793, Zelle 8123',
    ],
    ['SERVICE_DATE', '03.2027', 'March 2027', 'März 2027'],
    ['OIL_SERVICE_DATE', '12/2026', 'December 2026', 'Dezember 2026'],
    ['TIME_TO_FIRST_FIX', 'cold start 31250 ms', 'cold start 31.3\u00a0s', 'cold start 31,3\u00a0s'],
    ['OBD_DTC_PERMANENT', 'P0420;P0301', 'P0420, P0301', 'P0420, P0301'],
    ['OBD_DTC_SPORADIC', '', 'none', 'keine'],
  ])('%s %s in the order that people read it', (eventType, value, english, german) => {
    expect(text(eventType, value)).toEqual([english, german])
  })

  it.each([
    ['SERVICE_DATE', '13.2027'],
    ['SERVICE_DATE', 'soon'],
    ['NETWORK_CELL_INFO', '262;2'],
    ['POSITION', 'nowhere'],
    ['BATTERY_STATE', 'Boiling'],
    ['FIRMWARE_VERSION', '03.28.07'],
  ])('%s as it is when it has another form: %s', (eventType, value) => {
    expect(text(eventType, value)).toEqual([value, value])
  })
})
