import type { DeviceId } from '../../model/sample.ts'

/** The part of a trip that decides whether it counts beside those of other dongles in the car. */
export interface MeasuredTrip extends Span {
  readonly deviceId: DeviceId
  /** Being driven as far as its dongle shows. */
  readonly isOpen: boolean
  /** MILEAGE was read. */
  readonly hasOdometer: boolean
  /** Positions that counted. */
  readonly fixCount: number
}

/** Clocks of two dongles differ by so much: where one was swapped for the other, both drives count. */
const SEAM_MS = 60_000

/**
 * A vehicle drives one trip at a time (decisions.md, *one car, two dongles*). The trips are taken by how well they were
 * measured, and each counts unless it overlaps one that does. It depends on the set of trips only.
 * @param trips of one vehicle
 * @returns the trips that do not count, each with the best one that counts in its place
 */
export function supersededTrips<Trip extends MeasuredTrip>(trips: readonly Trip[]): Map<Trip, Trip> {
  const superseded = new Map<Trip, Trip>()
  for (const stretch of stretchesOf(trips)) {
    const counting: Trip[] = []
    for (const trip of stretch.sort(byMeasurement)) {
      const better = counting.find(other => overlap(trip, other))
      if (better) superseded.set(trip, better)
      else counting.push(trip)
    }
  }
  return superseded
}

/** Two trips cannot both have been driven: they share more than a seam, or most of the shorter one. */
export function overlap(a: Span, b: Span): boolean {
  const sharedMs = Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs)
  const shorterMs = Math.min(a.endMs - a.startMs, b.endMs - b.startMs)
  return sharedMs > Math.min(SEAM_MS, shorterMs / 2)
}

/**
 * The better measured one first: by odometer, then positions, then IMEI. How many positions an open trip will have nobody
 * knows, and it would change with every sample, so one that goes on comes before one that ended.
 */
function byMeasurement(a: MeasuredTrip, b: MeasuredTrip): number {
  return (
    Number(b.hasOdometer) - Number(a.hasOdometer) ||
    Number(b.isOpen) - Number(a.isOpen) ||
    (a.isOpen ? 0 : b.fixCount - a.fixCount) ||
    a.deviceId - b.deviceId ||
    a.startMs - b.startMs
  )
}

/** From when to when something lasted, in milliseconds since 1970. */
export interface Span {
  readonly startMs: number
  readonly endMs: number
}

/**
 * Spans that hang together, because each overlaps one before it; whatever overlaps depends on nothing outside of its
 * stretch. Ends that only touch are apart.
 * @returns the spans of each stretch by start, the stretches by time
 */
export function stretchesOf<Item extends Span>(items: readonly Item[]): Item[][] {
  const stretches: Item[][] = []
  let stretch: Item[] = []
  let endMs = Number.POSITIVE_INFINITY
  for (const item of [...items].sort((a, b) => a.startMs - b.startMs || a.endMs - b.endMs)) {
    if (stretch.length === 0 || item.startMs >= endMs) {
      stretch = []
      stretches.push(stretch)
      endMs = item.endMs
    }
    stretch.push(item)
    endMs = Math.max(endMs, item.endMs)
  }
  return stretches
}
