import { clippedTo, overlap, type TimeRange } from '../../../model/time-range.ts'
import { isNear, lookAtRoute, type RoutePoint, routeDistanceM, type Vicinity } from './route-near.ts'

/** A trip of a dongle, as far as it says where the car was. Trips are in the order of time. */
export interface Driven extends TimeRange {
  /** Encoded; empty when nothing is known of the way. */
  readonly polyline: string
  readonly isOpen: boolean
}

/** What was drawn, with the time for which it counts. */
export interface TimedVicinity extends TimeRange {
  readonly vicinity: Vicinity
}

/** Intervals in which a car may have been in an area. */
interface Candidates {
  /** Ascending, none of them adjacent. */
  readonly ranges: readonly TimeRange[]
  /** How many of the trips are in them because of their routes. */
  readonly tripsRead: number
}

/**
 * When a car may have been in an area, by its trips: those whose routes pass near it, and the time between two trips where one ends or
 * begins near it, as the car stands there, or where it was moved without a trip, as by a tow truck. Where nothing is known of the way, all counts.
 * @param range of the dongle in the car
 */
export function candidatesOf(
  range: TimeRange,
  trips: readonly Driven[],
  vicinities: readonly TimedVicinity[],
): Candidates {
  const ranges: TimeRange[] = []
  let tripsRead = 0
  let parked: { readonly fromMs: number; readonly at: RoutePoint | undefined } = { fromMs: range.fromMs, at: undefined }
  const stand = (toMs: number, next: RoutePoint | undefined) => {
    const ends = [parked.at, next].filter(end => end !== undefined)
    const span = { fromMs: parked.fromMs, toMs }
    const during = vicinities.filter(({ fromMs, toMs: untilMs }) => overlap(span, { fromMs, toMs: untilMs }))
    const isNearby =
      ends.length === 0 || wasMoved(ends) || ends.some(end => during.some(({ vicinity }) => isNear(vicinity, end)))
    if (toMs > parked.fromMs && isNearby && during.length > 0) ranges.push(span)
  }
  for (const trip of trips) {
    const during = vicinities.filter(vicinity => overlap(trip, vicinity)).map(({ vicinity }) => vicinity)
    const look = lookAtRoute(trip.polyline, during)
    stand(trip.fromMs, look?.first)
    if (during.length > 0 && (trip.isOpen || (look?.passes ?? true))) {
      tripsRead++
      ranges.push({ fromMs: trip.fromMs, toMs: trip.toMs })
    }
    parked = { fromMs: Math.max(parked.fromMs, trip.toMs), at: trip.isOpen ? undefined : look?.last }
  }
  stand(range.toMs, undefined)
  return { ranges: joined(ranges.flatMap(each => clippedTo(range, each) ?? [])), tripsRead }
}

/** Farther than noise, and than what is driven before the first fix. */
const MOVED_M = 300

/** Whether a trip begins elsewhere than the one before it ended. */
function wasMoved([from, to]: readonly RoutePoint[]): boolean {
  return from !== undefined && to !== undefined && routeDistanceM(from, to) > MOVED_M
}

/** Ranges in ascending order; those that touch become one. */
function joined(ranges: readonly TimeRange[]): TimeRange[] {
  const all: { fromMs: number; toMs: number }[] = []
  for (const { fromMs, toMs } of ranges.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = all.at(-1)
    if (last && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs)
    else all.push({ fromMs, toMs })
  }
  return all
}
