import { expect, test } from 'vitest'
import { compareDevice, type ExpectedTrip, type FoundTrip, metresOf, scoreOf, shareOff } from './trips.ts'

const MINUTE_MS = 60_000
const drive = (start: number, end: number, more: Partial<ExpectedTrip> = {}): ExpectedTrip => ({
  startMs: start * MINUTE_MS,
  endMs: end * MINUTE_MS,
  distanceM: 10_000,
  ...more,
})
const trip = (start: number, end: number, distanceM = 10_000): FoundTrip => ({
  startMs: start * MINUTE_MS,
  endMs: end * MINUTE_MS,
  distanceM,
})

test('a drive that was cut in two is one miss and two inventions', () => {
  const comparison = compareDevice([drive(0, 20)], [trip(0, 8), trip(12, 20)], MINUTE_MS)
  expect(comparison).toMatchObject({ expected: 1, found: 2, matches: [] })
  expect([comparison.missed.length, comparison.invented.length]).toEqual([1, 2])
})

test('what need not be found is right when it is found, and when it is not', () => {
  const drives = [drive(0, 20), drive(40, 45, { isWitnessed: false })]
  for (const found of [[trip(0, 20)], [trip(0, 20), trip(40, 45)]]) {
    const comparison = compareDevice(drives, found, 0)
    expect(comparison).toMatchObject({ expected: 1, found: 1, missed: [], invented: [] })
    expect(scoreOf([comparison]).f1).toBe(1)
  }
})

test('where nobody could tell, each end and each length within the range is right', () => {
  const drives = [drive(10, 20, { earliestStartMs: 5 * MINUTE_MS, latestEndMs: 30 * MINUTE_MS, mostM: 14_000 })]
  for (const found of [trip(10, 20, 10_000), trip(5, 30, 14_000), trip(7, 25, 12_000)]) {
    expect(compareDevice(drives, [found], 0).matches).toHaveLength(1)
    expect(scoreOf([compareDevice(drives, [found], 0)]).distanceError).toBe(0)
    expect(shareOff(metresOf(drives, [found]))).toBe(0)
  }
  for (const found of [trip(4, 20), trip(11, 20), trip(10, 19), trip(10, 31)])
    expect(compareDevice(drives, [found], 0).matches).toHaveLength(0)
  expect(shareOff(metresOf(drives, [trip(10, 20, 8000)]))).toBeCloseTo(-0.2)
  expect(shareOff(metresOf(drives, [trip(10, 20, 15_400)]))).toBeCloseTo(0.1)
})

test('drives that may be one are compared as they were found', () => {
  const drives = [drive(0, 20, { joinsNextBelowMs: 60 * MINUTE_MS }), drive(40, 60), drive(200, 210)]
  for (const found of [
    [trip(0, 20), trip(40, 60), trip(200, 210)],
    [trip(0, 60), trip(200, 210)],
  ])
    expect(scoreOf([compareDevice(drives, found, 0)]).f1).toBe(1)
  // A longer stay is one.
  const apart = [drive(0, 20, { joinsNextBelowMs: 60 * MINUTE_MS }), drive(90, 100)]
  expect(compareDevice(apart, [trip(0, 100)], 0).missed).toHaveLength(2)
})
