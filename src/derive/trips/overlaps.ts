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

/** A vehicle drives one trip at a time (decisions.md, *one car, two dongles*): the best measured counts. Depends on the
 * set only. @returns those that do not count, each with the best one in its place */
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

/** The better measured first: odometer, positions, IMEI. An open trip comes before ended
 * ones: its positions change all the time. */
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

/** The time that each stretch of spans covers, with the rest of its first one. */
export function hullsOf<Item extends Span>(items: readonly Item[]): Item[] {
  return stretchesOf(items).map(stretch =>
    stretch.reduce((hull, { startMs, endMs }) => ({
      ...hull,
      startMs: Math.min(hull.startMs, startMs),
      endMs: Math.max(hull.endMs, endMs),
    })),
  )
}

/** Groups spans that hang together through overlaps, which depend on nothing outside. Ends that only touch are apart.
 * @returns the stretches by time, each by start */
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
