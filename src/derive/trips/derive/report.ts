import { lengthM, type Measured, positionsM } from './measured.ts'
import { metersOf } from './meters.ts'
import { odometerM } from './odometer.ts'
import { type EndedTrip, measuredForSure, measuredSoFar, type OpenTrip } from './open-trip.ts'
import { routeText } from './route.ts'
import type { DerivedTrip } from './trip.ts'

/** What a trip is besides what was measured of it. */
type TripState = Pick<DerivedTrip, 'isRunning' | 'silentFromMs' | 'opened' | 'closed'>

function derivedTripOf(measured: Measured, { isRunning, silentFromMs, opened, closed }: TripState): DerivedTrip {
  const { startMs, endMs, endPosition, odometer } = measured
  const { startPosition, path, route, fixCount } = measured.track
  return {
    startMs,
    endMs,
    distanceM: Math.round(lengthM(measured)),
    durationS: Math.round((endMs - startMs) / 1000),
    startPosition,
    endPosition,
    meters: metersOf(measured.meters),
    route: { kept: route.kept, text: routeText(route) },
    fixCount,
    isRunning,
    silentFromMs,
    opened,
    closed,
    odometerM: odometer && Math.round(odometerM(odometer)),
    positionsM: path.hasFix ? Math.round(positionsM(measured)) : undefined,
  }
}

/** A trip that is over. */
export function endedTripOf({ opened, closed, measured }: EndedTrip): DerivedTrip {
  return derivedTripOf(measured, { isRunning: false, silentFromMs: measured.endMs, opened, closed })
}

/**
 * A trip that may go on; undefined while it is too short to be one. With ignition off it is not running; a car that
 * only stands still is, because every traffic light would stop it otherwise.
 * @param silenceMs so long without data is a silence for this dongle
 */
export function openTripOf(trip: OpenTrip, silenceMs: number): DerivedTrip | undefined {
  if (!measuredForSure(trip).isTrip) return undefined
  const isRunning = trip.pause === undefined || trip.pause.rule === 'no motion'
  const measured = measuredSoFar(trip)
  const silentFromMs = measured.endMs + silenceMs
  return derivedTripOf(measured, { isRunning, silentFromMs, opened: trip.opened, closed: undefined })
}
