import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Aggregation } from '../api/types.ts'
import { NOTHING, summaryOfBins, summaryOfCars, together } from './summaries.ts'

interface Trip {
  readonly metres: number
  readonly seconds: number
}

const STATISTICS = {
  SUM: (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0),
  AVG: (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length,
  MIN: (values: readonly number[]) => Math.min(...values),
  MAX: (values: readonly number[]) => Math.max(...values),
} as const

/** What the service says of the trips of a bin. */
function rowsOf(trips: readonly Trip[], bin: string, vehicleId = 'ALL'): Aggregation[] {
  if (trips.length === 0) return []
  const types = Object.entries(STATISTICS) as [keyof typeof STATISTICS, (values: readonly number[]) => number][]
  return types.flatMap(([aggregationType, of]) => {
    const row = { vehicleId, dataType: 'NUMBER', aggregationType, bin } as const
    const km = of(trips.map(({ metres }) => metres)) / 1000
    return [
      { ...row, eventType: 'DRIVEN_DISTANCE', value: km, unitId: 111, unit: 'km' },
      { ...row, eventType: 'TRIP_DURATION', value: of(trips.map(({ seconds }) => seconds)), unitId: 160, unit: 's' },
    ] as const
  })
}

const DAYS = ['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z', '2026-10-26T23:00:00.000Z'] as const
const STARTS = DAYS.map(day => Date.parse(day))

it('bins without trips are zero, and the others are where they belong', () => {
  const rows = [
    ...rowsOf([{ metres: 1500, seconds: 60 }], DAYS[0]),
    ...rowsOf(
      [
        { metres: 1000, seconds: 300 },
        { metres: 4000, seconds: 600 },
      ],
      DAYS[2],
    ),
  ]
  const bins = summaryOfBins(rows, STARTS)
  expect(bins.map(({ startMs }) => startMs)).toEqual(STARTS)
  expect(bins.map(({ summary }) => summary.trips)).toEqual([1, 0, 2])
  expect(bins[1]?.summary).toEqual(NOTHING)
  expect(bins[2]?.summary).toEqual({
    trips: 2,
    distance: { sum: 5, average: 2.5, most: 4, least: 1 },
    duration: { sum: 900, average: 450, most: 600, least: 300 },
  })
})

it('a bin that the service lets begin elsewhere is not lost', () => {
  const before = rowsOf([{ metres: 1, seconds: 1 }], '2026-10-19T22:00:00.000Z')
  const within = rowsOf([{ metres: 1, seconds: 1 }], '2026-10-26T00:00:00.000Z')
  expect(summaryOfBins([...before, ...within], STARTS).map(({ summary }) => summary.trips)).toEqual([1, 1, 0])
})

const trip = fc.record({ metres: fc.nat(500_000), seconds: fc.integer({ min: 1, max: 86_400 }) })

it('however trips are spread over bins, together they are the same', () => {
  fc.assert(
    fc.property(fc.array(trip, { minLength: 1 }), fc.array(trip), fc.array(trip), (first, second, third) => {
      const split = [first, second, third].flatMap((trips, index) => rowsOf(trips, DAYS[index] ?? ''))
      const whole = summaryOfBins(rowsOf([...first, ...second, ...third], DAYS[0]), STARTS)
      const all = together(summaryOfBins(split, STARTS).map(({ summary }) => summary))
      const expected = whole[0]?.summary ?? NOTHING
      expect(all.trips).toBe(first.length + second.length + third.length)
      for (const subject of ['distance', 'duration'] as const) {
        expect(all[subject].sum).toBeCloseTo(expected[subject].sum, 9)
        expect(all[subject].average).toBeCloseTo(expected[subject].average, 6)
        expect(all[subject].most).toBe(expected[subject].most)
        expect(all[subject].least).toBe(expected[subject].least)
      }
    }),
  )
})

it('cars have the trips of all their bins, the one that drove furthest first', () => {
  const rows = [
    ...rowsOf([{ metres: 1000, seconds: 60 }], DAYS[0], 'VIN1'),
    ...rowsOf([{ metres: 3000, seconds: 60 }], DAYS[0], 'VIN2'),
    ...rowsOf([{ metres: 2500, seconds: 120 }], DAYS[1], 'VIN1'),
  ]
  expect(summaryOfCars(rows).map(({ vehicleId, summary }) => [vehicleId, summary.trips, summary.distance.sum])).toEqual(
    [
      ['VIN1', 2, 3.5],
      ['VIN2', 1, 3],
    ],
  )
})
