import { measuredForSure, type OpenTrip } from './boundaries.ts'
import type { Place } from './place.ts'
import { POWER_UNKNOWN, type Power } from './power.ts'
import { withStored } from './route.ts'
import type { VinRun } from './trip.ts'

/** What the samples folded so far tell of a dongle. Changed in place by each of them. */
export interface Progress {
  /** The last sample folded. */
  lastMs: number | undefined
  power: Power
  /** The last word on IS_MOVING. */
  isMoving: boolean
  place: Place | undefined
  trip: OpenTrip | undefined
  /** The last unplug or trip end; minus infinity before there is one. */
  boundaryMs: number
  vinRun: VinRun | undefined
}

export function nothingKnown(): Progress {
  return {
    lastMs: undefined,
    power: POWER_UNKNOWN,
    isMoving: false,
    place: undefined,
    trip: undefined,
    boundaryMs: -Infinity,
    vinRun: undefined,
  }
}

/** The same progress when the final part of the route of its trip, as reported, is stored with the trip's row. */
export function withRouteStored(progress: Progress): Progress {
  const { trip } = progress
  if (!trip) return progress
  const reported = measuredForSure(trip)
  const { length } = reported.route.final
  // What is no trip yet has no row to store anything in.
  if (!reported.isTrip || length === 0) return progress
  const measured = { ...trip.measured, route: withStored(trip.measured.route, length) }
  const pause = trip.pause && { ...trip.pause, measured: { ...reported, route: withStored(reported.route, length) } }
  return { ...progress, trip: { ...trip, measured, pause } }
}
