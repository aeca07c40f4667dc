import { describe, expect, it } from 'vitest'
import { event, NOW_MS } from '../../test/made-car.ts'
import { newestMsOf } from '../fleet/dongle-state.ts'
import { changesOf, fieldOfError, invalidFields, isElectric, latestValues, type SettingsForm } from './car-facts.ts'

it('a car without a tank is driven by its battery', () => {
  expect(isElectric([event('BATTERY_VOLTAGE', 12.4)])).toBe(false)
  expect(isElectric([event('HV_BATTERY_SOC', 80), event('FUEL_LEVEL_PERCENT', 50)])).toBe(false)
  expect(isElectric([event('HV_BATTERY_SOC', 80)])).toBe(true)
})

const HOUR = 3_600_000
const aged = (eventType: string, hoursAgo: number) => event(eventType, 1, hoursAgo * HOUR)

it('a value is stale when it is more than a day older than the newest one of its car, settings aside', () => {
  const events = [aged('ALARM_SYSTEM', 1), aged('GPS_SPEED', 100), aged('MILEAGE', 124), aged('VIN', 124.1)]
  const values = latestValues(events, true)
  expect(values.map(value => [value.eventType, value.isStale])).toEqual([
    ['ALARM_SYSTEM', false],
    ['GPS_SPEED', false],
    ['MILEAGE', false],
    ['VIN', true],
  ])
  expect(newestMsOf(values)).toBe(NOW_MS - 100 * HOUR)
  expect(newestMsOf([])).toBeUndefined()
})

it('who may not see fault codes sees how many there are, as everywhere, and not which', () => {
  const events = [aged('OBD_DTC_COUNT', 1), aged('OBD_DTC_PERMANENT', 1), aged('OBD_DTC_SPORADIC', 1)]
  const namesFor = (mayReadCodes: boolean) => latestValues(events, mayReadCodes).map(({ eventType }) => eventType)
  expect(namesFor(false)).toEqual(['OBD_DTC_COUNT'])
  expect(namesFor(true)).toHaveLength(3)
})

const BEFORE: SettingsForm = {
  numberPlate: 'M-TC 1',
  vin: '',
  make: '',
  model: 'Golf',
  fuelType: '',
  color: '',
  group: '',
  alarmSystem: null,
}
const VIN = 'WVWZZZ1KZAW000001'

it('changes of settings are only what is different', () => {
  expect(changesOf(BEFORE, BEFORE)).toEqual({})
  expect(changesOf(BEFORE, { ...BEFORE, numberPlate: ' M-TC 2 ', vin: VIN.toLowerCase(), alarmSystem: false })).toEqual(
    {
      numberPlate: 'M-TC 2',
      vin: VIN,
      alarmSystem: false,
    },
  )
  expect(changesOf(BEFORE, { ...BEFORE, make: ' Audi ', model: '' })).toEqual({ make: 'Audi', model: '' })
  expect(changesOf({ ...BEFORE, vin: VIN }, { ...BEFORE, vin: ` ${VIN} `, numberPlate: '' })).toEqual({
    numberPlate: '',
  })
})

describe('a form', () => {
  it.each([
    [VIN, []],
    [` ${VIN.toLowerCase()} `, []],
    ['', []],
    [VIN.slice(1), ['vin']],
    [`I${VIN.slice(1)}`, ['vin']],
    [`${VIN}1`, ['vin']],
  ])('with the VIN %j has the wrong fields %j', (vin, wrong) => {
    expect(invalidFields(BEFORE, { ...BEFORE, vin })).toEqual(wrong)
  })

  it('cannot take a VIN away, nor have a plate without end', () => {
    expect(invalidFields({ ...BEFORE, vin: VIN }, { ...BEFORE, numberPlate: 'M'.repeat(101) })).toEqual([
      'numberPlate',
      'vin',
    ])
  })

  it('shows an error of the service at its field', () => {
    expect(fieldOfError('vin is the VIN of another vehicle of this account.')).toBe('vin')
    expect(fieldOfError('numberPlate must not contain control characters.')).toBe('numberPlate')
    expect(fieldOfError('Too many requests.')).toBeUndefined()
  })
})
