import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type EventTypeName, requiredEventType } from '../../src/catalogue/event-types.ts'
import { type DeviceId, type Sample, valueIn } from '../../src/model/sample.ts'
import type { DongleKind } from './dongle.ts'
import { wayBetween } from './ground.ts'
import { randomRecording } from './random-recording.ts'
import { odometerM, samplesOf } from './recording.ts'

const anyKind = fc.record({
  awareness: fc.constantFrom('ignition', 'engine', 'motion'),
  readsOdometer: fc.boolean(),
  readsSpeed: fc.boolean(),
  readsVin: fc.boolean(),
  fixS: fc.constantFrom(2, 5, 10),
} as const)

const anySeed = fc.nat({ max: 100_000 })

const recordingOf = (kind: DongleKind, seed: number, drivesByCar: readonly number[]) =>
  randomRecording({
    deviceId: 351_000_000_000_000 as DeviceId,
    kind,
    fromMs: Date.UTC(2026, 2, 2, 6),
    drivesByCar,
    seed,
  })

const valuesOf = (samples: readonly Sample[], name: EventTypeName) =>
  samples.flatMap(sample => {
    const value = valueIn(sample, requiredEventType(name))
    return value === undefined ? [] : [{ timeMs: sample.timeMs, value }]
  })

test('what is recorded agrees with what is said to have happened', () => {
  fc.assert(
    fc.property(anyKind, anySeed, (kind, seed) => {
      const recording = recordingOf(kind, seed, [3, 2])
      const samples = samplesOf(recording)
      const { trips, stints } = recording.truth
      expect(trips).toHaveLength(5)
      // Speeds scatter by half a km/h.
      const movesParked = valuesOf(samples, 'GPS_SPEED').filter(
        ({ timeMs, value }) =>
          Number(value) > 5.5 &&
          !trips.some(trip => trip.movesFromMs - 500 <= timeMs && timeMs < trip.movesUntilMs + 500),
      )
      expect(movesParked).toEqual([])
      const wrongIgnition = valuesOf(samples, 'IS_IGNITION_ON').filter(
        ({ timeMs, value }) => value !== trips.some(({ startMs, endMs }) => startMs <= timeMs && timeMs < endMs),
      )
      expect(wrongIgnition).toEqual([])
      const wrongCount = valuesOf(samples, 'MILEAGE').filter(({ timeMs, value }) => {
        const stint = stints.find(({ fromMs, toMs }) => fromMs <= timeMs && timeMs <= toMs)!
        const lagM = odometerM(stint, timeMs) - Number(value) * 1000
        return !(lagM > -0.001 && lagM < stint.schedule.car.odometerStepM)
      })
      expect(wrongCount).toEqual([])
      const vins = valuesOf(samples, 'VIN').map(({ value }) => value)
      expect([...new Set(vins)]).toEqual(kind.readsVin ? stints.map(({ schedule }) => schedule.car.vin) : [])
    }),
    { numRuns: 15 },
  )
})

test('positions follow the path that was driven, and its length is the distance', () => {
  fc.assert(
    fc.property(anyKind, anySeed, (kind, seed) => {
      const recording = recordingOf(kind, seed, [3, 2])
      const fixes = valuesOf(samplesOf(recording), 'POSITION')
      for (const { startMs, endMs, distanceM } of recording.truth.trips) {
        const path = fixes.filter(({ timeMs }) => startMs <= timeMs && timeMs <= endMs)
        const lengthM = path.slice(1).reduce((sum, { value }, i) => {
          const { eastM, northM } = wayBetween(path[i]!.value as never, value as never)
          return sum + Math.hypot(eastM, northM)
        }, 0)
        // Bends are cut, a right angle of a short drive by some ten metres; and standing scatters.
        expect(lengthM).toBeGreaterThan(distanceM * 0.95 - 50)
        expect(lengthM).toBeLessThan(distanceM * 1.01 + path.length * 2)
      }
    }),
    { numRuns: 15 },
  )
})

test('the same seed gives the same samples, each with a timestamp of its own; another seed gives others', () => {
  fc.assert(
    fc.property(anyKind, anySeed, (kind, seed) => {
      const samples = samplesOf(recordingOf(kind, seed, [2]))
      expect(samplesOf(recordingOf(kind, seed, [2]))).toEqual(samples)
      expect(samplesOf(recordingOf(kind, seed + 1, [2]))).not.toEqual(samples)
      expect(new Set(samples.map(({ timeMs }) => timeMs)).size).toBe(samples.length)
    }),
    { numRuns: 5 },
  )
})
