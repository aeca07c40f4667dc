import { expect, it } from 'vitest'
import { event } from '../fleet/made-car.ts'
import { driveBatteryOf, firstOf } from './car-facts.ts'

it('is that of a car without a tank', () => {
  expect(driveBatteryOf([event('BATTERY_VOLTAGE', 12.4)])).toBeUndefined()
  expect(driveBatteryOf([event('HV_BATTERY_SOC', 80), event('FUEL_LEVEL_PERCENT', 50)])).toBeUndefined()
  expect(driveBatteryOf([event('HV_BATTERY_SOC', 80)])?.get('HV_BATTERY_SOC')?.value).toBe(80)
})

it('takes the range of the battery before that of the car', () => {
  const battery = driveBatteryOf([
    event('HV_BATTERY_SOC', 80),
    event('REMAINING_RANGE', 300),
    event('HV_BATTERY_REMAINING_RANGE', 290),
  ])
  expect(battery && firstOf(battery, 'HV_BATTERY_REMAINING_RANGE', 'REMAINING_RANGE')?.value).toBe(290)
  expect(battery && firstOf(battery, 'HV_BATTERY_SOH')).toBeUndefined()
})
