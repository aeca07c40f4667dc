import { measuredForSure, type OpenTrip } from './boundaries.ts'
import type { Calibration } from './calibration.ts'
import { copyOfMeasured, copyOfProgress } from './copies.ts'
import type { Measured } from './measured.ts'
import type { Place } from './place.ts'
import { POWER_UNKNOWN, type Power } from './power.ts'
import { withStored } from './route.ts'
import type { Stay } from './stay.ts'
import { isProven } from './track.ts'
import type { VinRun } from './trip.ts'

/** What the samples folded so far tell of a dongle. Changed in place by each of them. */
export interface Progress {
  /** The last sample folded. */
  lastMs: number | undefined
  power: Power
  /** The last word on IS_MOVING. */
  isMoving: boolean
  /** How long the dongle is usually silent while the car drives; undefined before it was seen. */
  cadenceMs: number | undefined
  /** Since then it was never silent for longer: a parked dongle reports more rarely, so the car may have driven from here on. */
  busySinceMs: number | undefined
  place: Place | undefined
  stay: Stay | undefined
  /** How long the car's speed has told of driving since the last new fix. */
  blindMs: number
  /** When the car last told its speed. */
  awakeMs: number | undefined
  /** The last reading of the odometer, since when it has been the same, and what trips told of it. */
  odometer: { readonly km: number; readonly timeMs: number; readonly sinceMs: number } | undefined
  calibrations: readonly Calibration[]
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
    cadenceMs: undefined,
    busySinceMs: undefined,
    place: undefined,
    stay: undefined,
    blindMs: 0,
    awakeMs: undefined,
    odometer: undefined,
    calibrations: [],
    trip: undefined,
    boundaryMs: -Infinity,
    vinRun: undefined,
  }
}

/**
 * When the next trip to be told can have begun at the earliest: that of the one that is on, else after the last fix and the
 * last reading of the odometer where the car stood; undefined when nothing tells.
 */
export function earliestStartMs({ trip, stay, odometer, boundaryMs }: Progress): number | undefined {
  if (trip) return trip.measured.startMs
  const known = [stay?.insideMs, odometer?.timeMs].filter(timeMs => timeMs !== undefined)
  return known.length === 0 ? undefined : Math.max(boundaryMs + 1, Math.min(...known))
}

/** The same progress when the final part of the route of its trip, as reported, is stored with the trip's row. */
export function withRouteStored(progress: Progress): Progress {
  const { trip } = progress
  if (!trip) return progress
  const reported = measuredForSure(trip)
  const { opened, measured, pause, movedMs, toldMs, idle, holdsUntilMs } = trip
  // What is no trip yet has no row to store anything in; a track that is not proven may give way to another one.
  if (!reported.isTrip || !isProven(reported.track)) return progress
  const length = Math.min(...[reported, idle ?? reported].map(({ track }) => track.route.final.length))
  if (length === 0) return progress
  const after = copyOfProgress(progress)
  after.trip = {
    opened,
    measured: withStoredIn(measured, length),
    pause: pause && { ...pause, measured: withStoredIn(pause.measured, length) },
    movedMs,
    toldMs,
    idle: idle && withStoredIn(idle, length),
    holdsUntilMs,
  }
  return after
}

function withStoredIn(measured: Measured, length: number): Measured {
  const after = copyOfMeasured(measured)
  after.track.route = withStored(measured.track.route, length)
  return after
}
