import { fold } from '../../src/derive/trips/fold.ts'
import type { Sample } from '../../src/intake/sample.ts'

/** A trip as clients see it, without what the server numbers or stamps. */
export interface ShownTrip {
  readonly deviceId: number
  readonly start: string
  readonly end: string
  readonly distanceM: number
  readonly durationS: number
}

export const byStart = (a: ShownTrip, b: ShownTrip) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0)

/** @param body of GET /trips */
export function shownTrips(body = '{}'): ShownTrip[] {
  const { trips } = JSON.parse(body) as {
    trips: {
      deviceId: number
      tripStartTimestamp: string
      tripEndTimestamp: string
      distance: number
      duration: number
    }[]
  }
  return trips.map(trip => ({
    deviceId: trip.deviceId,
    start: trip.tripStartTimestamp,
    end: trip.tripEndTimestamp,
    distanceM: Math.round(trip.distance * 1000),
    durationS: trip.duration,
  }))
}

/** What the fold finds when it sees all samples of a device at once. */
export function tripsAtOnce(samples: readonly Sample[]): ShownTrip[] {
  return fold(undefined, samples).trips.map(({ startMs, endMs, distanceM, durationS }) => ({
    deviceId: samples[0]?.deviceId ?? 0,
    start: new Date(startMs).toISOString(),
    end: new Date(endMs).toISOString(),
    distanceM,
    durationS,
  }))
}
