import type { DerivedTrip } from '../trip.ts'

/**
 * Whether the dongle of an open trip has been silent for long enough to end it, unless a later sample continues it.
 * @param nowMs by the clock of the database
 */
export function isSilentAt(trip: DerivedTrip, nowMs: number): boolean {
  return trip.silentFromMs <= nowMs
}
