import { earliestTripStartMs, type Folded, fold, withStoredRoute } from '../src/derive/trips/fold.ts'
import type { FoldState, VinRun } from '../src/derive/trips/state.ts'
import type { DerivedTrip } from '../src/derive/trips/trip.ts'
import { distanceM } from '../src/model/earth.ts'
import type { Position, Sample } from '../src/model/sample.ts'
import { sampleWith, type Values } from './sample-with.ts'

/** Monday noon, so that a short drive crosses no day. */
export const NOON_MS = Date.UTC(2026, 0, 12, 12)

const METRES_PER_DEGREE = 111_195.08

/** A point so many metres east and north of a car park in Ulm. */
export function place(eastM: number, northM = 0): Position {
  const lat = 48.4 + northM / METRES_PER_DEGREE
  return { lon: 9.98 + eastM / (METRES_PER_DEGREE * Math.cos((48.4 * Math.PI) / 180)), lat }
}

/** A sample so many seconds after noon. */
export const at = (seconds: number, events: Values): Sample =>
  sampleWith(356307042441013, NOON_MS + Math.round(seconds * 1000), events)

export const ignition = (seconds: number, isOn: boolean, more: Values = {}) =>
  at(seconds, { IS_IGNITION_ON: isOn, ...more })

/** A sample every so many seconds, from the first to the last one inclusive. */
export function every(stepS: number, fromS: number, toS: number, events: (seconds: number) => Values): Sample[] {
  const samples: Sample[] = []
  for (let seconds = fromS; seconds <= toS; seconds += stepS) samples.push(at(seconds, events(seconds)))
  return samples
}

/** A trip in the words of a test: seconds after noon instead of milliseconds since 1970. */
export function told({ startMs, endMs, opened, closed, isRunning, distanceM: metres }: DerivedTrip) {
  return {
    from: (startMs - NOON_MS) / 1000,
    to: (endMs - NOON_MS) / 1000,
    opened: opened.rule,
    closed: closed?.rule,
    isRunning,
    metres,
  }
}

/** What a reader has after some runs: trips by start with the whole text of their route, runs of VINs, checkpoints. */
export interface Known {
  readonly state: FoldState | undefined
  readonly trips: ReadonlyMap<number, DerivedTrip>
  readonly vinRuns: ReadonlyMap<number, VinRun>
  readonly checkpoints: ReadonlyMap<number, string>
}

export const NOTHING: Known = { state: undefined, trips: new Map(), vinRuns: new Map(), checkpoints: new Map() }

/** What is known after one more run: its trips replace those from the open trip on. */
export function foldedOn(before: Known, samples: readonly Sample[], isStored = false): Known {
  const folded: Folded = fold(before.state, samples)
  const wasOpenMs = (before.state && earliestTripStartMs(before.state)) ?? Infinity
  const trips = new Map([...before.trips].filter(([startMs]) => startMs < wasOpenMs))
  for (const trip of folded.trips) {
    const stored = before.trips.get(trip.startMs)?.route.text ?? ''
    trips.set(trip.startMs, {
      ...trip,
      route: { kept: 0, text: stored.slice(0, trip.route.kept) + trip.route.text },
    })
  }
  return {
    state: isStored || folded.mustStoreRoute ? withStoredRoute(folded.state) : folded.state,
    trips,
    vinRuns: new Map([...before.vinRuns, ...folded.vinRuns.map(run => [run.firstMs, run] as const)]),
    checkpoints: new Map([
      ...before.checkpoints,
      ...folded.checkpoints.map(({ beforeMs, state }) => [beforeMs, state] as const),
    ]),
  }
}

/** All trips of these samples. */
export function tripsOf(samples: readonly Sample[]): DerivedTrip[] {
  return [...foldedOn(NOTHING, samples).trips.values()]
}

/** Metres from a point to a line, on a plane: the line is short. */
export function distanceToLineM(point: Position, line: readonly Position[]): number {
  const east = 111_195.08 * Math.cos((point.lat * Math.PI) / 180)
  const flat = ({ lon, lat }: Position) => ({ x: (lon - point.lon) * east, y: (lat - point.lat) * METRES_PER_DEGREE })
  const [only] = line
  let nearest = line.length === 1 && only ? distanceM(point, only) : Infinity
  for (let i = 1; i < line.length; i++) {
    const a = flat(line[i - 1]!)
    const b = flat(line[i]!)
    const length2 = (b.x - a.x) ** 2 + (b.y - a.y) ** 2
    const along = length2 === 0 ? 0 : Math.max(0, Math.min(1, -(a.x * (b.x - a.x) + a.y * (b.y - a.y)) / length2))
    nearest = Math.min(nearest, Math.hypot(a.x + along * (b.x - a.x), a.y + along * (b.y - a.y)))
  }
  return nearest
}
