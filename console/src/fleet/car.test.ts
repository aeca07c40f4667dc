import { describe, expect, test } from 'vitest'
import type { Device, LastEvent, Vehicle } from '../api/types.ts'
import { carOf, SILENT_AFTER_MS } from './car.ts'

const NOW = '2026-03-02T12:00:00.000Z'
const NOW_MS = Date.parse(NOW)
const IMEI = 356_307_042_441_013

function event(eventType: string, value: LastEvent['value'], recordedTimestamp = NOW): LastEvent {
  const dataType = typeof value === 'number' ? 'NUMBER' : typeof value === 'boolean' ? 'BOOLEAN' : 'STRING'
  return { deviceId: IMEI, recordedTimestamp, eventType, dataType, value }
}

function vehicleWith(lastEvents: LastEvent[], more: Partial<Vehicle> = {}): Vehicle {
  const unknown = { tecDocMakeId: 0, tecDocModelId: 0, tecDocVehicleId: 0, vehicle: '', fuelType: '', kba: '' }
  const known = { id: `IMEI_${IMEI}`, vin: '', make: '', model: '', licensePlate: '', deviceId: IMEI, tripId: '' }
  return { ...unknown, ...known, lastEvents, modifyTimestamp: NOW, deleteTimestamp: null, ...more }
}

function deviceThat(isOnline: boolean): Device {
  return { id: IMEI, isOnline, isPluggedIn: true } as Device
}

describe('the state of a car', () => {
  const healthy = event('BATTERY_STATE', 'Healthy')

  test('driving while a trip is open, else parked', () => {
    expect(carOf(vehicleWith([healthy], { tripId: 'T1' }), deviceThat(true), NOW_MS).state).toBe('driving')
    expect(carOf(vehicleWith([healthy]), deviceThat(true), NOW_MS).state).toBe('parked')
  })

  test('a dongle that sleeps is parked, one silent for two days or during a trip is offline', () => {
    const old = event('BATTERY_STATE', 'Healthy', new Date(NOW_MS - SILENT_AFTER_MS - 1000).toISOString())
    expect(carOf(vehicleWith([healthy]), deviceThat(false), NOW_MS).state).toBe('parked')
    expect(carOf(vehicleWith([old]), deviceThat(false), NOW_MS).state).toBe('offline')
    expect(carOf(vehicleWith([healthy], { tripId: 'T1' }), deviceThat(false), NOW_MS).state).toBe('offline')
    expect(carOf(vehicleWith([healthy], { deviceId: null }), undefined, NOW_MS).state).toBe('offline')
  })

  test.each([
    ['IS_MIL_ON', true],
    ['OBD_DTC_COUNT', 2],
    ['BATTERY_STATE', 'Very Low'],
  ] as const)('warning by %s', (eventType, value) => {
    expect(carOf(vehicleWith([event(eventType, value)], { tripId: 'T1' }), deviceThat(true), NOW_MS).state).toBe(
      'warning',
    )
  })
})

test('a car is called by its plate, else make and model, else VIN, else IMEI', () => {
  const named = { licensePlate: 'B-TX 1', make: 'Škoda', model: 'Octavia', vin: 'TMBJG7NE4K0010000' }
  const nameOf = (more: Partial<Vehicle>) => carOf(vehicleWith([], more), undefined, NOW_MS).name
  expect(nameOf(named)).toBe('B-TX 1')
  expect(nameOf({ ...named, licensePlate: '' })).toBe('Škoda Octavia')
  expect(nameOf({ ...named, licensePlate: '', make: '', model: '' })).toBe('TMBJG7NE4K0010000')
  expect(nameOf({})).toBe(String(IMEI))
})

test('the position is read from its text, the speed only counts during a trip', () => {
  const events = [event('POSITION', 'POINT(9.5195706 51.3373017)'), event('GPS_SPEED', 72), event('GPS_COURSE', 90)]
  expect(carOf(vehicleWith(events, { tripId: 'T1' }), undefined, NOW_MS)).toMatchObject({
    longitude: 9.519_570_6,
    latitude: 51.337_301_7,
    headingDeg: 90,
    speedKmh: 72,
    positionMs: NOW_MS,
  })
  expect(carOf(vehicleWith(events), undefined, NOW_MS).speedKmh).toBeUndefined()
  expect(carOf(vehicleWith([]), undefined, NOW_MS)).toMatchObject({ longitude: undefined, positionMs: undefined })
})
