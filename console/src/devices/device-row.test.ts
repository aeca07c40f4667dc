import { expect, test } from 'vitest'
import type { Device, Vehicle } from '../api/types.ts'
import { nameOf } from '../fleet/car.ts'
import { english } from '../translations/en.ts'
import { chosenDevices, type DeviceRow, deviceRowOf, eventsByDevice } from './device-row.ts'
import type { DeviceFilter } from './devices-search.ts'

const NOW = Date.UTC(2026, 10, 21)
const ASLEEP = { contact: { kind: 'asleep', heardMs: NOW }, plug: 'in' } as const
const row = (id: number, changes: Partial<DeviceRow> = {}): DeviceRow => ({
  id,
  state: { contact: { kind: 'online', heardMs: NOW }, plug: 'in' },
  firmware: '03.28.07',
  hardware: 'Teltonika FMC003',
  car: { is: 'known', value: { id: `IMEI_${id}`, name: `M-TA ${id}` } },
  ...changes,
})

const rows = [
  row(1),
  row(2, { state: ASLEEP }),
  row(3, { state: { ...ASLEEP, plug: 'out' }, car: { is: 'known', value: undefined } }),
]
const ids = (filter: DeviceFilter, search: string) =>
  chosenDevices(rows, { filter, search }, english.carState).map(({ id }) => id)

test('filters tell what dongles do', () => {
  expect(ids('all', '')).toEqual([1, 2, 3])
  expect(ids('online', '')).toEqual([1])
  expect(ids('offline', '')).toEqual([2, 3])
  expect(ids('unplugged', '')).toEqual([3])
})

test('search finds words of IMEI, state, car, firmware and hardware together', () => {
  expect(ids('all', 'm-ta fmc')).toEqual([1, 2])
  expect(ids('all', ' 03.28 3 ')).toEqual([1, 2, 3])
  expect(ids('offline', 'm-ta')).toEqual([2])
  expect(ids('all', 'opel')).toEqual([])
  expect(ids('all', 'asleep')).toEqual([2, 3])
  expect(ids('all', 'unplugged')).toEqual([3])
})

test('a dongle that has moved was heard in the car that it was in before', () => {
  const recordedTimestamp = new Date(NOW - 3_600_000).toISOString()
  const value = { deviceId: 1, recordedTimestamp, eventType: 'MILEAGE', dataType: 'NUMBER', value: 7 } as const
  const before = { id: 'VIN1', lastEvents: [value] } as unknown as Vehicle
  const after = { id: 'VIN2', licensePlate: 'M-TA 2', lastEvents: [] as Vehicle['lastEvents'] } as Vehicle
  const device = { id: 1, isOnline: false, isPluggedIn: false, vehicleId: 'VIN2', tripId: '' } as Device
  const vehicles = new Map([before, after].map(vehicle => [vehicle.id, vehicle]))
  const events = eventsByDevice(vehicles.values())
  const seen = deviceRowOf({ device, vehicles: { is: 'known', value: vehicles }, events, nameOf, nowMs: NOW })
  expect(seen.state).toEqual({ contact: { kind: 'asleep', heardMs: NOW - 3_600_000 }, plug: 'unknown' })
  expect(seen.car).toEqual({ is: 'known', value: { id: 'VIN2', name: 'M-TA 2' } })

  // Who may not see cars is not told that there is none.
  const unseen = deviceRowOf({ device, vehicles: { is: 'forbidden' }, events: new Map(), nameOf, nowMs: NOW })
  expect(unseen.state.contact).toEqual({ kind: 'offline', because: 'forbidden' })
  expect(unseen.car).toEqual({ is: 'forbidden' })
})
