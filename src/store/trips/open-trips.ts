import type { DerivedTrip } from '../../derive/trips/trip.ts'

/** A drive whose newest sample is older than this has ended by itself: as long as a gap that cuts a trip. */
export const SILENCE_ENDS_TRIP_MS = 5 * 60_000

/**
 * Whether a trip is in progress: then it is the `tripId` of its device and vehicle. What was driven long ago and only
 * now uploaded never is.
 * @param nowMs by the clock of the database
 */
export function isOpenAt(trip: DerivedTrip, nowMs: number): boolean {
  return trip.isRunning && trip.endMs > nowMs - SILENCE_ENDS_TRIP_MS
}
