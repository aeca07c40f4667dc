import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cellRecording } from '../lab/accuracy/cell.ts'
import { compareDevice } from '../lab/score/trips.ts'
import { expectedDrives } from '../lab/simulation/expected-drives.ts'
import { CADENCES_S, KINDS_OF_DONGLES, type KindName, kindNamed } from '../lab/simulation/kinds-of-dongles.ts'
import { samplesOf } from '../lab/simulation/recording.ts'
import { deep, IS_DEEP } from './deep.ts'
import { rangedTripsOf } from './ranged-trips.ts'

const DRIVES_OF_A_DEVICE = 10

/** How many of the drives that were found have their true length in the range. */
function sharesWithin(kind: KindName, cadenceS: number, devices: number) {
  let [drives, within] = [0, 0]
  for (let device = 0; device < devices; device++) {
    const wishes = { kind: kindNamed(kind), cadenceS, isDisturbed: false, devices, seed: 7 }
    const recording = cellRecording(wishes, device)
    const found = rangedTripsOf(samplesOf(recording))
    const { matches } = compareDevice(expectedDrives(recording), found, Math.max(60, cadenceS) * 1000)
    for (const { expected, found: trip } of matches) {
      drives++
      const { leastM, mostM } = trip.range
      if (leastM <= (expected.mostM ?? expected.distanceM) && expected.distanceM <= mostM) within++
    }
  }
  return { drives, share: within / drives }
}

test.each<[KindName, readonly number[]]>([
  ['everything', [1, 30, 300]],
  ['no-odometer', [1, 30, 60]],
  ['ignition-positions', [10, 60]],
  ['motion', [10, 60]],
  ['positions', [10, 60, 120]],
  ['hybrid-odometer', [10, 60]],
  ['speed', [10, 60]],
])('of a dongle that tells %s, the truth lies in the range of nine drives of ten at least', (kind, cadencesS) => {
  const devices = IS_DEEP ? 4 : 2
  for (const cadenceS of cadencesS) {
    const { drives, share } = sharesWithin(kind, cadenceS, devices)
    expect(drives).toBeGreaterThan(0.6 * devices * DRIVES_OF_A_DEVICE)
    expect({ cadenceS, isEnough: share >= 0.9, share }).toMatchObject({ isEnough: true })
  }
})

const anyDrives = fc.record({
  kind: fc.constantFrom(...KINDS_OF_DONGLES),
  cadenceS: fc.constantFrom(...CADENCES_S.filter(cadenceS => cadenceS >= 10)),
  isDisturbed: fc.boolean(),
  seed: fc.integer({ min: 1, max: 10_000 }),
})

test('what counts lies in the range, which is never below zero, whatever disturbs the drives', () => {
  let trips = 0
  fc.assert(
    fc.property(anyDrives, wishes => {
      const recording = cellRecording({ ...wishes, devices: 1 }, 0)
      for (const { distanceM, range } of rangedTripsOf(samplesOf(recording))) {
        trips++
        const { leastM, countedM, mostM } = range
        expect(Math.abs(countedM - distanceM)).toBeLessThanOrEqual(0.5)
        expect(leastM).toBeGreaterThanOrEqual(0)
        expect(leastM).toBeLessThanOrEqual(countedM)
        expect(countedM).toBeLessThanOrEqual(mostM)
      }
    }),
    { numRuns: deep(15), seed: 1 },
  )
  expect(trips).toBeGreaterThan(100)
})
