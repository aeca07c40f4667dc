import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deep } from '../../../test/deep.ts'
import { sampleWith, type Values } from '../../../test/sample-with.ts'
import {
  at,
  every,
  foldedOn,
  ignition,
  type Known,
  NOON_MS,
  NOTHING,
  place,
  tripsOf,
} from '../../../test/trip-samples.ts'
import type { EventTypeName } from '../../catalogue/event-types.ts'
import { type EventValue, type Sample, sampleOf } from '../../model/sample.ts'
import { fold, withStoredRoute } from './fold.ts'
import { parseState, serialiseState } from './state.ts'

const HOUR_MS = 3_600_000

/** What a dongle may do in a row of samples: how long between them, what they measure, how the car moves. */
interface Stretch {
  readonly count: number
  readonly stepMs: number
  readonly gapMs: number
  readonly speedKmh: number
  readonly turn: number
  readonly jumpM: number
  readonly events: Values
  readonly hasPosition: boolean
  readonly hasSpeed: boolean
  readonly hasOdometer: boolean
}

const VINS = ['WVWZZZ1KZAW000001', 'WVWZZZ1KZAW000002', 'none']

const stretch: fc.Arbitrary<Stretch> = fc.record({
  count: fc.integer({ min: 1, max: 12 }),
  stepMs: fc.constantFrom(1000, 7000, 10_000, 60_000, 119_000),
  gapMs: fc.constantFrom(1, 1000, 119_000, 120_000, 299_000, 300_000, HOUR_MS, 26 * HOUR_MS),
  speedKmh: fc.constantFrom(0, 0, 3, 30, 90),
  turn: fc.integer({ min: -3, max: 3 }),
  jumpM: fc.constantFrom(0, 0, 0, 40, 90_000),
  events: fc
    .dictionary(
      fc.constantFrom(
        'IS_IGNITION_ON',
        'ENGINE_STATE',
        'IS_MOVING',
        'IS_DONGLE_PLUGGED_IN',
        'VIN',
        'FUEL_LEVEL_PERCENT',
      ),
      fc.nat(2),
      { maxKeys: 2 },
    )
    .map(drawn =>
      Object.fromEntries(
        Object.entries(drawn).map(([name, value]): [string, EventValue] => {
          if (name === 'VIN') return [name, VINS[value] ?? '']
          return [name, name === 'FUEL_LEVEL_PERCENT' ? 50 - value : value > 0]
        }),
      ),
    ),
  hasPosition: fc.boolean(),
  hasSpeed: fc.boolean(),
  hasOdometer: fc.boolean(),
})

/** Samples of one dongle, ascending. */
const history: fc.Arbitrary<Sample[]> = fc
  .tuple(fc.array(stretch, { minLength: 1, maxLength: 12 }), fc.integer({ min: 0, max: 3 * HOUR_MS }))
  .map(([stretches, offsetMs]) => {
    const samples: Sample[] = []
    let timeMs = NOON_MS + offsetMs
    let [x, y, heading, km] = [0, 0, 0, 1000]
    for (const part of stretches) {
      timeMs += part.gapMs
      x += part.jumpM
      for (let i = 0; i < part.count; i++) {
        const metres = ((part.speedKmh / 3.6) * part.stepMs) / 1000
        heading += part.turn * 0.2
        x += metres * Math.cos(heading)
        y += metres * Math.sin(heading)
        km += metres / 1000
        const events: Partial<Record<EventTypeName, EventValue>> = i === 0 ? { ...part.events } : {}
        if (part.hasPosition) events.POSITION = place(x, y)
        if (part.hasSpeed) events.VEHICLE_SPEED_AVERAGE = part.speedKmh
        if (part.hasOdometer) events.MILEAGE = Math.round(km * 10) / 10
        samples.push(sampleWith(1, timeMs, events))
        timeMs += part.stepMs
      }
    }
    return samples
  })

/** How a history is cut into runs, and after which of them the writer stores the route. */
const cuts = fc.array(fc.record({ length: fc.integer({ min: 1, max: 20 }), isStored: fc.boolean() }), { maxLength: 40 })

function inRuns(samples: readonly Sample[], runs: readonly { length: number; isStored: boolean }[]): Known {
  let known = NOTHING
  let next = 0
  for (const { length, isStored } of runs) {
    if (next >= samples.length) break
    known = foldedOn(known, samples.slice(next, next + length), isStored)
    next += length
  }
  return next < samples.length ? foldedOn(known, samples.slice(next)) : known
}

/** All that a reader can see; the state itself but for what of the route is stored. */
function seen({ state, trips, vinRuns, checkpoints }: Known) {
  return {
    state: state && serialiseState(withStoredRoute(state)),
    trips: [...trips.values()],
    vinRuns: [...vinRuns.values()],
    checkpoints: [...checkpoints],
  }
}

test('however samples are cut into runs, and whenever the route is stored, the same comes out', () => {
  fc.assert(
    fc.property(history, cuts, (samples, runs) => {
      expect(seen(inRuns(samples, runs))).toEqual(seen(foldedOn(NOTHING, samples)))
    }),
    { numRuns: deep(120) },
  )
})

test('beginning again from any checkpoint gives the same later checkpoints, trips and VIN runs', () => {
  fc.assert(
    fc.property(history, samples => {
      const whole = foldedOn(NOTHING, samples)
      for (const [beforeMs, text] of whole.checkpoints) {
        const later = samples.filter(sample => sample.timeMs >= beforeMs)
        const told = new Map([...whole.trips].filter(([startMs]) => startMs < beforeMs))
        // What stands in the rows of trips that begin before: the route up to there among it.
        const again = foldedOn({ ...NOTHING, trips: told, state: parseState(text) }, later)
        const from = <Value>(items: ReadonlyMap<number, Value>) => [...items].filter(([ms]) => ms > beforeMs)
        expect(from(again.checkpoints)).toEqual(from(whole.checkpoints))
        expect(again.state && serialiseState(withStoredRoute(again.state))).toBe(seen(whole).state)
        expect([...again.trips.values()]).toEqual(seen(whole).trips)
        for (const [firstMs, run] of again.vinRuns) expect(whole.vinRuns.get(firstMs)).toEqual(run)
      }
    }),
    { numRuns: deep(60) },
  )
})

test('a state that was written is read the same', () => {
  fc.assert(
    fc.property(history, samples => {
      for (let i = 1; i <= samples.length; i += 5) {
        const { state } = fold(undefined, samples.slice(0, i))
        const text = serialiseState(state)
        expect(parseState(text)).toEqual(state)
        expect(serialiseState(parseState(text))).toBe(text)
      }
    }),
    { numRuns: deep(30) },
  )
})

test('the newest sample again changes nothing, and whole after it came in pieces is as if it came whole', () => {
  fc.assert(
    fc.property(history, samples => {
      const whole = foldedOn(NOTHING, samples)
      const newest = samples.at(-1)
      if (!newest) return
      expect(seen(foldedOn(whole, [newest]))).toEqual(seen(whole))
      const piece = sampleOf(newest.deviceId, newest.timeMs, new Map())
      const pieces = foldedOn(foldedOn(NOTHING, [...samples.slice(0, -1), piece]), [newest])
      expect(pieces.state && serialiseState(pieces.state)).toBe(whole.state && serialiseState(whole.state))
      expect(seen(pieces).trips).toEqual(seen(whole).trips)
    }),
    { numRuns: deep(60) },
  )
})

test('what an instant in pieces told of a trip from before it is reported again with the whole of it', () => {
  const before = [
    at(0, { IS_IGNITION_ON: true }),
    ...[10, 20, 80, 140, 200, 260].map(seconds => at(seconds, {})),
    at(439, { MILEAGE: 1000 }),
    at(440, { IS_DONGLE_PLUGGED_IN: false, IS_MOVING: true, VEHICLE_SPEED_AVERAGE: 0 }),
    at(500, { VEHICLE_SPEED_AVERAGE: 0 }),
  ]
  const newest = at(560, { VEHICLE_SPEED_AVERAGE: 0 })
  const whole = foldedOn(NOTHING, [...before, newest])
  // A piece without the speed: the dongle has reported for minutes as it does while driving.
  const pieces = foldedOn(foldedOn(NOTHING, [...before, at(560, {})]), [newest])
  expect(seen(pieces)).toEqual(seen(whole))
})

test('folding changes neither the state given nor the samples', () => {
  const samples = every(10, 0, 600, s => ({ IS_IGNITION_ON: true, POSITION: place(s * 10) }))
  const { state } = fold(undefined, samples.slice(0, 20))
  const before = serialiseState(state)
  const twice = [fold(state, samples.slice(20)), fold(state, samples.slice(20))]
  expect(serialiseState(state)).toBe(before)
  expect(twice[0]).toEqual(twice[1])
})

test('folding on, or storing the route, leaves the state alone in whatever the dongle was', () => {
  fc.assert(
    fc.property(history, fc.nat(100), (samples, percent) => {
      const cut = Math.floor((samples.length * percent) / 100)
      const { state } = fold(undefined, samples.slice(0, cut))
      const before = serialiseState(state)
      const on = fold(state, samples.slice(cut))
      withStoredRoute(state)
      expect(serialiseState(state)).toBe(before)
      expect(fold(parseState(before), samples.slice(cut))).toEqual(on)
    }),
    { numRuns: deep(30) },
  )
})

test('a state written by another version is refused', () => {
  expect(() => parseState('[0,[]]')).toThrow('version 0')
})

test('checkpoints: when a trip ends, when a day begins, and within a trip when an hour begins', () => {
  const eleven = -3600
  const { checkpoints, mustStoreRoute } = fold(undefined, [
    at(eleven - 7200, { BATTERY_VOLTAGE: 12 }),
    ignition(eleven, true),
    ...every(60, eleven + 60, 1740, s => ({ POSITION: place(10 * s) })),
    ignition(1800, false),
    ignition(1920, false),
    ignition(5400, false),
    ignition(13 * 3600, false),
    ignition(14 * 3600, false),
  ])
  const times = checkpoints.map(({ beforeMs }) => new Date(beforeMs).toISOString().slice(8))
  expect(times).toEqual(['12T12:00:00.000Z', '12T12:32:00.001Z', '13T00:00:00.000Z'])
  expect(mustStoreRoute).toBe(true)
})

test('three days of driving do not make the state grow', () => {
  const samples = every(60, 0, 3 * 86_400, s => ({ IS_IGNITION_ON: s % 7200 < 3600, POSITION: place(s % 7200) }))
  const known = [samples.slice(0, 1500), samples.slice(1500)].reduce<Known>((k, run) => foldedOn(k, run, true), NOTHING)
  expect(known.state && serialiseState(known.state).length).toBeLessThan(1500)
  expect(tripsOf(samples)).toHaveLength(36)
})
