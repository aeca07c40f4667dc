import type { Measured } from './measured.ts'
import { MOTION_PAUSE_MS, SPEED_READING_MS } from './rules.ts'
import { provenAtM, type Stay } from './stay.ts'
import { isProven } from './track.ts'
import type { Cause, ClosingRule, OpeningRule } from './trip.ts'

/** The car stands and the trip may be over. If so, `measured` is the ended trip. */
export interface Pause {
  readonly rule: 'ignition off' | 'engine off' | 'no motion'
  readonly sinceMs: number
  readonly measured: Measured
  /** `measured` includes a reading of standstill, so later readings do not belong to it. */
  readonly isSettled: boolean
}

/** The trip, or what may become one, that the dongle is in. Changed in place by each reading. */
export interface OpenTrip {
  readonly opened: Cause<OpeningRule>
  /** Up to the last sample, including pauses; counts if the trip continues. */
  readonly measured: Measured
  /** Shares no mutable data with `measured`. */
  pause: Pause | undefined
  /** When motion was last evident or could not be observed; and when it could last be observed. */
  movedMs: number
  toldMs: number
  /** The trip up to the last motion, kept once that was minutes ago with the ignition on; counts if the car never moves again. */
  idle: Measured | undefined
  /** Until then, motion shown by fixes or odometer holds as long as nothing else is reported. */
  holdsUntilMs: number
}

/** What a reading means for the trip that it belongs to. */
export type Outcome = 'drives' | 'pauses' | 'unplugged'

/** A trip that is over. */
export interface EndedTrip {
  readonly opened: Cause<OpeningRule>
  readonly measured: Measured
  readonly closed: Cause<ClosingRule>
}

/** The part of a trip that is certain, whatever comes next. */
export function measuredForSure(trip: OpenTrip): Measured {
  return trip.pause?.measured ?? trip.measured
}

/** The trip as it would be if nothing more came. */
export function measuredSoFar(trip: OpenTrip): Measured {
  return isAwake(trip) ? trip.measured : measuredForSure(trip)
}

/**
 * A car reports its speed only while it is awake, so someone is in it: a car that stood at the end was still on its trip.
 */
export function isAwake({ pause, measured: { endMs, speed } }: OpenTrip): boolean {
  if (pause?.rule !== 'no motion') return pause === undefined
  return speed.awakeMs > 0 && endMs - speed.awakeMs <= SPEED_READING_MS
}

/** Whether a trip is still open at an instant: the car has not stood for as long as a parked car does. */
export function isPausedBriefly({ pause }: OpenTrip, untilMs: number): boolean {
  if (!pause) return true
  return pause.rule === 'no motion' && untilMs - Math.min(pause.sinceMs, pause.measured.endMs) < MOTION_PAUSE_MS
}

/** As long as only motion shows a trip, each fix of its place shows better how far they scatter there. */
export function mustLeaveFrom({ opened, measured: { startMs, track } }: OpenTrip, stay: Stay): void {
  if (opened.rule !== 'motion' || stay.sinceMs >= startMs || isProven(track)) return
  track.path.provenAtM = Math.max(track.path.provenAtM, provenAtM(stay))
}
