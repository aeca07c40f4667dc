import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deep } from '../../../test/deep.ts'
import { sampleWith, type Values } from '../../../test/sample-with.ts'
import type { Sample } from '../../model/sample.ts'
import { type Folded, fold, foldAcrossMoves } from './fold.ts'
import { type FoldState, parseState, serialiseState } from './state.ts'

const MINUTE_MS = 60_000
const START_MS = Date.UTC(2026, 0, 12, 23)

const sampleAt = (minute: number, values: Values): Sample => sampleWith(1, START_MS + minute * MINUTE_MS, values)

/** Three hours of driving and standing, with VINs read now and then. */
const samplesOfSome = fc
  .array(
    fc.record({
      ignition: fc.boolean(),
      speedKmh: fc.integer({ min: 0, max: 120 }),
      vin: fc.option(fc.constantFrom('WVWZZZ1KZAW000001', 'WBA3A5C58DF000002'), { nil: undefined, freq: 8 }),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map(items =>
    items.map(({ ignition, speedKmh, vin }, index) =>
      sampleAt(index * 3, {
        IS_IGNITION_ON: ignition,
        VEHICLE_SPEED_AVERAGE: speedKmh,
        POSITION: { lon: 11.6, lat: 48 + index * 0.01 },
        ...(vin === undefined ? {} : { VIN: vin }),
      }),
    ),
  )
const movesOfSome = fc.uniqueArray(
  fc.integer({ min: -2, max: 190 }).map(minute => START_MS + minute * MINUTE_MS),
  { maxLength: 4 },
)

/** The same samples in runs, each folded after the state that the one before left is written and read. */
function inRuns(samples: readonly Sample[], movesMs: readonly number[], cuts: readonly number[]) {
  let state: FoldState | undefined
  const trips = new Map<number, Folded['trips'][number]>()
  const vinRuns = new Map<number, Folded['vinRuns'][number]>()
  const checkpoints = new Map<number, string>()
  const ends = [...cuts, samples.length].sort((a, b) => a - b)
  let from = 0
  for (const end of ends) {
    const folded = foldAcrossMoves(state, samples.slice(from, end), movesMs)
    for (const trip of folded.trips) trips.set(trip.startMs, trip)
    for (const run of folded.vinRuns) vinRuns.set(run.firstMs, run)
    for (const { beforeMs, state: text } of folded.checkpoints) checkpoints.set(beforeMs, text)
    state = end > 0 ? parseState(serialiseState(folded.state)) : undefined
    from = Math.max(from, end)
  }
  return { trips: [...trips.values()], vinRuns: [...vinRuns.values()], checkpoints: [...checkpoints] }
}

test('every car is told of as if the dongle had never been in another one', () => {
  fc.assert(
    fc.property(samplesOfSome, movesOfSome, (samples, movesMs) => {
      const bounds = [Number.NEGATIVE_INFINITY, ...movesMs.toSorted((a, b) => a - b), Number.POSITIVE_INFINITY]
      const parts = bounds
        .slice(0, -1)
        .map((fromMs, index) => samples.filter(({ timeMs }) => timeMs >= fromMs && timeMs < (bounds[index + 1] ?? 0)))
        .filter(part => part.length > 0)
        .map(part => fold(undefined, part))
      const { trips, vinRuns, state } = foldAcrossMoves(undefined, samples, movesMs)
      expect(vinRuns).toEqual(parts.flatMap(part => part.vinRuns))
      expect(trips).toEqual(
        parts.flatMap((part, index) =>
          part.trips.map(trip => (index < parts.length - 1 ? { ...trip, isRunning: false } : trip)),
        ),
      )
      expect(state).toEqual(parts.at(-1)?.state)
    }),
    { numRuns: deep(50) },
  )
})

test('however samples are cut into runs, the same comes out', () => {
  const cuts = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 6 })
  fc.assert(
    fc.property(samplesOfSome, movesOfSome, cuts, (samples, movesMs, where) => {
      const within = where.filter(cut => cut < samples.length)
      expect(inRuns(samples, movesMs, within)).toEqual(inRuns(samples, movesMs, []))
    }),
    { numRuns: deep(50) },
  )
})
