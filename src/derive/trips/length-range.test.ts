import { expect, test } from 'vitest'
import { rangedTripsOf } from '../../../test/ranged-trips.ts'
import { at, every, ignition, place } from '../../../test/trip-samples.ts'
import type { Sample } from '../../model/sample.ts'

const drive = (events: (s: number) => Parameters<typeof at>[1]) => [
  ignition(-1, true),
  ...every(10, 0, 600, events),
  ignition(601, false),
  ignition(900, false),
]

test('who reports more rarely knows less, and an odometer knows more than positions', () => {
  const width = (samples: readonly Sample[]) => {
    const range = rangedTripsOf(samples)[0]?.range
    return range ? range.mostM - range.leastM : Number.NaN
  }
  const often = width(drive(s => ({ POSITION: place(10 * s) })))
  const rarely = width([
    ignition(-1, true),
    ...every(120, 0, 600, s => ({ POSITION: place(10 * s) })),
    ignition(601, false),
    ignition(900, false),
  ])
  const byOdometer = width(drive(s => ({ POSITION: place(10 * s), MILEAGE: 1000.001 + s / 100 })))
  expect(rarely).toBeGreaterThan(often)
  expect(byOdometer).toBeLessThanOrEqual(often)
})

test('whole kilometres alone may hide one at each end; positions narrow that down', () => {
  const [alone] = rangedTripsOf(drive(s => ({ MILEAGE: 1000 + Math.floor(s / 100) })))
  const [both] = rangedTripsOf(drive(s => ({ POSITION: place(10 * s), MILEAGE: 1000 + Math.floor(s / 100) })))
  expect((alone?.range.mostM ?? 0) - (alone?.range.countedM ?? 0)).toBeGreaterThan(800)
  expect((both?.range.mostM ?? 0) - (both?.range.leastM ?? 0)).toBeLessThan(900)
})

test('each measure stands for itself, in metres whatever the unit of the odometer', () => {
  const [trip] = rangedTripsOf([
    ignition(-1, true),
    ...every(10, 0, 1800, s => ({
      POSITION: place(20 * s),
      VEHICLE_SPEED_AVERAGE: 72,
      MILEAGE: 500.1 + Math.round((s * 20) / 1.609344) / 1000,
    })),
    ignition(1801, false),
    ignition(2200, false),
  ])
  const { odometer, positions, speed } = trip?.measures ?? {}
  expect(odometer?.state).toBe('miles')
  expect(odometer?.shownM).toBeCloseTo(36_000 / 1.609344, -1)
  for (const measure of [odometer, positions, speed]) expect(measure?.metres).toBeCloseTo(36_000, -2)
})
