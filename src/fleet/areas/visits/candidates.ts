import { clippedTo, overlap, type TimeRange } from '../../../model/time-range.ts'
import {
  isNear,
  isWellInside,
  lookAtRoute,
  type Nearness,
  type RoutePoint,
  routeDistanceM,
  type Vicinity,
} from './route-near.ts'
import type { TripNearAtEnds } from './trip-ends.ts'

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
export interface Candidates {
  /** Ascending, none of them adjacent; without those of `atEnds` and `inside`. */
  readonly ranges: readonly TimeRange[]
  /** When the car stood well inside. */
  readonly inside: readonly TimeRange[]
  /** Trips that may have been there at their ends, and were elsewhere in between. */
  readonly atEnds: readonly TripNearAtEnds[]
  /** How many trips may have been there, because of their routes. */
  readonly tripsRead: number
}

/**
 * When a car may have been in an area, by its trips: those whose routes pass near it, and the time between two trips where one ends or
 * begins near it, as the car stands there, or where it was moved without a trip, as by a tow truck. Where nothing is known of the way, all counts.
 * Between two trips it stands where the first ended and the second begins; where both is as far inside as what is not near is outside, that is known.
 * @param range of the dongle in the car
 */
export function candidatesOf(
  range: TimeRange,
  trips: readonly Driven[],
  vicinities: readonly TimedVicinity[],
): Candidates {
  const ranges: TimeRange[] = []
  const inside: TimeRange[] = []
  const atEnds: TripNearAtEnds[] = []
  let tripsRead = 0
  let parked: { readonly fromMs: number; readonly at: RoutePoint | undefined } = { fromMs: range.fromMs, at: undefined }
  const stand = (toMs: number, next: RoutePoint | undefined) => {
    if (toMs <= parked.fromMs) return
    const span = { fromMs: parked.fromMs, toMs }
    const during = vicinities.filter(vicinity => overlap(span, vicinity))
    if (during.length === 0) return
    const ends = [parked.at, next].filter(end => end !== undefined)
    const isUnknown = ends.length === 0 || wasMoved(ends)
    if (!isUnknown && ends.length === 2 && isInsideAllTime(during, span, ends)) inside.push(span)
    else if (isUnknown || ends.some(end => during.some(({ vicinity }) => isNear(vicinity, end)))) ranges.push(span)
  }
  for (const trip of trips) {
    const during = vicinities.filter(vicinity => overlap(trip, vicinity)).map(({ vicinity }) => vicinity)
    const look = lookAtRoute(trip.polyline, during)
    stand(trip.fromMs, look?.first)
    const nearness = during.length === 0 ? 'far' : trip.isOpen ? 'near' : (look?.nearness ?? 'near')
    if (nearness !== 'far') tripsRead++
    if (nearness === 'near') ranges.push({ fromMs: trip.fromMs, toMs: trip.toMs })
    else if (nearness !== 'far') atEnds.push({ ...trip, ...endsOf(nearness), vicinities: during })
    parked = { fromMs: Math.max(parked.fromMs, trip.toMs), at: trip.isOpen ? undefined : look?.last }
  }
  stand(range.toMs, undefined)
  const within = <Span extends TimeRange>(spans: readonly Span[]) => spans.flatMap(each => clippedTo(range, each) ?? [])
  return { ranges: joined(within(ranges)), inside: within(inside), atEnds: within(atEnds), tripsRead }
}

function isInsideAllTime(during: readonly TimedVicinity[], span: TimeRange, ends: readonly RoutePoint[]): boolean {
  const [drawn] = during
  if (!drawn || during.length > 1 || drawn.fromMs > span.fromMs || drawn.toMs < span.toMs) return false
  return ends.every(end => isWellInside(drawn.vicinity, end))
}

function endsOf(nearness: Nearness): Pick<TripNearAtEnds, 'isNearAtFirst' | 'isNearAtLast'> {
  return { isNearAtFirst: nearness !== 'arrives', isNearAtLast: nearness !== 'leaves' }
}

/** Farther than noise, and than what is driven before the first fix. */
const MOVED_M = 300

/** Whether a trip begins elsewhere than the one before it ended. */
function wasMoved([from, to]: readonly RoutePoint[]): boolean {
  return from !== undefined && to !== undefined && routeDistanceM(from, to) > MOVED_M
}

/** Ranges in ascending order; those that touch become one. */
export function joined(ranges: readonly TimeRange[]): TimeRange[] {
  const all: { fromMs: number; toMs: number }[] = []
  for (const { fromMs, toMs } of ranges.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = all.at(-1)
    if (last && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs)
    else all.push({ fromMs, toMs })
  }
  return all
}
