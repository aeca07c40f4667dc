import { expect, it } from 'vitest'
import { tripDays } from './trip-days.ts'

it('trips stand under the day on which they began here, with the sums of that day', () => {
  const trip = (day: number, hour: number, distance: number) => ({
    id: `${day} ${hour}`,
    deviceId: 1,
    vehicleId: 'VIN1',
    tripStartAddress: null,
    tripEndAddress: null,
    distance,
    duration: 600,
    // Local times, as people count days.
    tripStartTimestamp: new Date(2026, 9, day, hour).toISOString(),
    tripEndTimestamp: new Date(2026, 9, day, hour + 2).toISOString(),
    aggregations: [],
    deleteTimestamp: null,
    modifyTimestamp: '2026-01-01T00:00:00.000000Z',
  })
  const trips = [trip(25, 23, 1.1), trip(25, 0, 2.2), trip(24, 23, 4)]
  expect(tripDays(trips, ({ id }) => id)).toEqual([
    { day: '2026-10-25', trips: ['25 23', '25 0'], totals: { count: 2, distanceKm: 3.3, durationS: 1200 } },
    { day: '2026-10-24', trips: ['24 23'], totals: { count: 1, distanceKm: 4, durationS: 600 } },
  ])
})
