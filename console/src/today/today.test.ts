import { expect, test } from 'vitest'
import { carCalled } from '../../test/made-car.ts'
import { NOTHING, type Summary } from '../statistics/summaries.ts'
import { carNeeds, yesterdayAndUsual } from './today.ts'

const driven = (km: number): Summary => ({
  trips: 2,
  distance: { ...NOTHING.distance, sum: km },
  duration: { ...NOTHING.duration, sum: km * 60 },
})
const daysOf = (kmOfDay: Readonly<Record<number, number>>) =>
  Array.from({ length: 29 }, (_, day) => {
    const km = kmOfDay[day] ?? 0
    return { startMs: day * 864e5, summary: km > 0 ? driven(km) : NOTHING }
  })

test('yesterday stands beside the same weekday of the weeks before it, as far back as there were trips', () => {
  const { yesterday, usual } = yesterdayAndUsual(daysOf({ 6: 9, 7: 30, 14: 0, 20: 500, 21: 60, 28: 40 }))
  expect([yesterday.distance, yesterday.trips, usual?.distance, usual?.duration]).toEqual([40, 2, 30, 1800])
  expect(yesterdayAndUsual(daysOf({ 0: 40, 7: 40, 14: 40, 21: 40, 28: 1 })).usual?.distance).toBe(40)
  expect(yesterdayAndUsual(daysOf({ 28: 40 })).usual).toBeUndefined()
  expect(yesterdayAndUsual(daysOf({})).yesterday.trips).toBe(0)
})

test('a fleet in its first week stands beside the days that were whole', () => {
  const { usual, daysBefore } = yesterdayAndUsual(daysOf({ 24: 1, 25: 30, 28: 40 }))
  expect([usual?.distance, daysBefore]).toEqual([10, 3])
  expect(yesterdayAndUsual(daysOf({ 27: 1, 28: 40 })).usual).toBeUndefined()
})

test('a car is named for each thing that it needs', () => {
  const [since, lamp] = [{ sinceMs: 0 }, { kind: 'lamp', sinceMs: 0 } as const]
  const battery = { kind: 'battery', state: 'Empty', voltageV: 5, ...since } as const
  const cars = [
    carCalled('fine'),
    carCalled('lost', { movement: { kind: 'silent', isInTrip: false, ...since } }),
    carCalled('both', { health: { kind: 'attention', reasons: [battery, lamp] } }),
  ]
  const { faults, batteries, silent } = carNeeds(cars)
  expect([faults, batteries, silent].map(list => list.map(({ car, reasons }) => [car.name, ...reasons]))).toEqual([
    [['both', lamp]],
    [['both', battery]],
    [['lost']],
  ])
})
