import { expect, test } from 'vitest'
import { chosenDevices, type DeviceRow } from './device-row.ts'

const row = (id: number, changes: Partial<DeviceRow> = {}): DeviceRow => ({
  id,
  isOnline: true,
  isPluggedIn: true,
  firmware: '03.28.07',
  hardware: 'Teltonika FMC003',
  carId: `IMEI_${id}`,
  carName: `M-TA ${id}`,
  heardMs: 0,
  ...changes,
})

const rows = [row(1), row(2, { isOnline: false }), row(3, { isOnline: false, isPluggedIn: false, carName: undefined })]
const ids = (...choice: [Parameters<typeof chosenDevices>[1], string]) =>
  chosenDevices(rows, ...choice).map(({ id }) => id)

test('filters tell what dongles do', () => {
  expect(ids('all', '')).toEqual([1, 2, 3])
  expect(ids('online', '')).toEqual([1])
  expect(ids('offline', '')).toEqual([2, 3])
  expect(ids('unplugged', '')).toEqual([3])
})

test('search finds words of IMEI, car, firmware and hardware together', () => {
  expect(ids('all', 'm-ta fmc')).toEqual([1, 2])
  expect(ids('all', ' 03.28 3 ')).toEqual([1, 2, 3])
  expect(ids('offline', 'm-ta')).toEqual([2])
  expect(ids('all', 'opel')).toEqual([])
})
