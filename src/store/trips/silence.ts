import { DATA_GAP_MS } from '../../derive/trips/rules.ts'
import type { DerivedTrip } from '../../derive/trips/trip.ts'

/** A drive whose newest sample is older than this has ended by itself: as long as a gap that cuts a trip. */
export const SILENCE_ENDS_TRIP_MS = DATA_GAP_MS

/**
 * Whether nothing came of a trip for so long that it is over unless a later sample says otherwise.
 * @param nowMs by the clock of the database
 */
export function isSilentAt(trip: DerivedTrip, nowMs: number): boolean {
  return trip.endMs <= nowMs - SILENCE_ENDS_TRIP_MS
}
