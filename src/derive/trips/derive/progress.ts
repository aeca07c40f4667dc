import type { Calibration } from './calibration.ts'
import { copyOfMeasured, copyOfProgress } from './copies.ts'
import type { Measured } from './measured.ts'
import { measuredForSure, type OpenTrip } from './open-trip.ts'
import type { Place } from './place.ts'
import { POWER_UNKNOWN, type Power } from './power.ts'
import { withStored } from './route.ts'
import { BUSY_LEAD_MS } from './rules.ts'
import { type Stay } from './stay.ts'
import { isProven } from './track.ts'
import type { VinRun } from './trip.ts'

/** What the samples folded so far tell of a dongle. Changed in place by each of them. */
export interface Progress {
  /** The last sample folded. */
  lastMs: number | undefined
  power: Power
  /** The last word on IS_MOVING. */
  isMoving: boolean
  /** The last sample before those that reported nothing but ignition or engine; undefined if the last one reported more. */
  beforeWordMs: number | undefined
  /** How long the dongle is usually silent while the car drives; undefined before it was seen. */
  cadenceMs: number | undefined
  /** While no interval of driving is known: the last one of the parked car, which reports no more often than one that drives. */
  parkedMs: number | undefined
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
  /** What it showed when the last fix was believed; undefined if it had not been read. */
  fixOdometerKm: number | undefined
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
    parkedMs: undefined,
    beforeWordMs: undefined,
    busySinceMs: undefined,
    place: undefined,
    stay: undefined,
    blindMs: 0,
    awakeMs: undefined,
    odometer: undefined,
    fixOdometerKm: undefined,
    calibrations: [],
    trip: undefined,
    boundaryMs: -Infinity,
    vinRun: undefined,
  }
}

/**
 * When the next trip to be told can have begun at the earliest: that of the one that is on; else, or while that may prove to be
 * none, where the car stood (fixes, the odometer), or since the dongle has reported as it does while driving; undefined when
 * nothing tells.
 * @param nextMs the next sample
 */
export function earliestStartMs(progress: Progress, nextMs: number | undefined): number | undefined {
  const { trip, stay, odometer, busySinceMs, boundaryMs } = progress
  if (trip && measuredForSure(trip).isTrip) return trip.measured.startMs
  const known = [
    trip?.measured.startMs,
    stay?.insideMs,
    stay?.leftFrom && stay.leftMs,
    odometer?.timeMs,
    nextMs,
  ].filter(timeMs => timeMs !== undefined)
  if (known.length === 0) return undefined
  const leftMs = Math.min(...known)
  const wasOnItsWay = busySinceMs !== undefined && busySinceMs >= leftMs - BUSY_LEAD_MS
  return Math.max(boundaryMs + 1, wasOnItsWay ? Math.min(leftMs, busySinceMs) : leftMs)
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
