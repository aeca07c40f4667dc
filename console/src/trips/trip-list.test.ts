import { expect, it } from 'vitest'
import type { Trip } from '../api/types.ts'
import { totalsOf, tripLines } from './trip-list.ts'

const trip = (id: number, tripStartTimestamp = ''): Trip => ({
  id: String(id),
  deviceId: 1,
  vehicleId: 'IMEI_1',
  tripStartAddress: null,
  tripEndAddress: null,
  distance: 1.1,
  duration: 60,
  tripStartTimestamp,
  tripEndTimestamp: tripStartTimestamp,
  aggregations: [],
  deleteTimestamp: null,
  modifyTimestamp: '',
})

it('adds up exactly', () => {
  expect(totalsOf([trip(1), trip(2), trip(3)])).toEqual({
    count: 3,
    distanceKm: 3.3,
    durationS: 180,
  })
})

it('has trips under the day on which they began here, whatever UTC says', () => {
  const began = (id: number, day: number, hour: number) => trip(id, new Date(2026, 9, day, hour).toISOString())
  expect(tripLines([began(3, 25, 23), began(2, 25, 0), began(1, 24, 23)], ({ id }) => id)).toEqual([
    { id: '2026-10-25', day: '2026-10-25' },
    '3',
    '2',
    { id: '2026-10-24', day: '2026-10-24' },
    '1',
  ])
})
