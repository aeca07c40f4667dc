import { positionsOf } from '../../derive/trips/route.ts'
import { measuredShape } from '../../model/areas/measured-shape.ts'
import type { Position } from '../../model/sample.ts'
import { clippedTo, overlap, type TimeRange } from '../../model/time-range.ts'
import type { FixesWanted, TimedFix } from '../../store/index.ts'
import {
  beyondM,
  isNear,
  isWellInside,
  lookAtRoute,
  type Nearness,
  type RoutePoint,
  routeDistanceM,
  type Vicinity,
} from './route-near.ts'

/** An interval whose samples decide on visits. */
export interface DecidingRange extends TimeRange {
  /** From the interval before to this one the car stood well inside: a visit goes on. */
  readonly isAfterStandingInside: boolean
}

/** The ascending intervals whose samples decide, for each candidate.
 * @param readFixes reads fixes of a trip of the candidates at an index */
export async function decidingRanges(
  candidates: readonly Candidates[],
  readFixes: ReadFixes<TripOf>,
): Promise<readonly (readonly DecidingRange[])[]> {
  const trips = candidates.flatMap(({ atEnds }, index) => atEnds.map((trip): TripOf => ({ trip, index })))
  const ends = await nearEnds(trips, readFixes)
  let next = 0
  return candidates.map(({ ranges, inside, atEnds }) => {
    const ofTrips = ends.slice(next, next + atEnds.length).flat()
    next += atEnds.length
    const all = joined([...ranges, ...ofTrips])
    let stood = 0
    return all.map(({ fromMs, toMs }, place) => {
      const before = all[place - 1]
      while ((inside[stood]?.toMs ?? fromMs) < fromMs) stood++
      const span = inside[stood]
      const isAfterStandingInside =
        before !== undefined && span !== undefined && span.fromMs <= before.toMs && span.toMs >= fromMs
      return { fromMs, toMs, isAfterStandingInside }
    })
  })
}

/** A trip, and whose it is. */
export interface TripOf {
  readonly trip: TripNearAtEnds
  /** Of the candidates. */
  readonly index: number
}

/** A trip of a dongle, as far as it says where the car was. Trips are in the order of time. */
export interface DrivenTrip extends TimeRange {
  /** Encoded; empty when nothing is known of the way. */
  readonly polyline: string
  readonly isOpen: boolean
}

/** A drawing, with the time for which it counts. */
export interface TimedVicinity extends TimeRange {
  readonly vicinity: Vicinity
}

/** Intervals in which a car may have been in an area. */
export interface Candidates {
  /** Ascending, none of them adjacent; without those of `atEnds` and `inside`. */
  readonly ranges: readonly TimeRange[]
  /** When the car stood well inside. */
  readonly inside: readonly TimeRange[]
  /** Trips that may have been there at both ends, and were elsewhere in between. */
  readonly atEnds: readonly TripNearAtEnds[]
  /** How many trips may have been there, because of the routes. */
  readonly tripsRead: number
}

/** Times at which a car may have been in an area: trips whose routes pass near it, and pauses that begin or end near it
 * or in which the car was moved, as by a tow truck. An unknown way counts. @param range of the dongle in the car */
export function candidatesOf(
  range: TimeRange,
  trips: readonly DrivenTrip[],
  vicinities: readonly TimedVicinity[],
): Candidates {
  const ranges: TimeRange[] = []
  const inside: TimeRange[] = []
  const atEnds: TripNearAtEnds[] = []
  let tripsRead = 0
  let parked: { readonly fromMs: number; readonly at: RoutePoint | undefined } = { fromMs: range.fromMs, at: undefined }
  /** @returns whether what is driven next shows when the car left */
  const stand = (toMs: number, next: RoutePoint | undefined): boolean => {
    if (toMs <= parked.fromMs) return false
    const span = { fromMs: parked.fromMs, toMs }
    const during = vicinities.filter(vicinity => overlap(span, vicinity))
    if (during.length === 0) return false
    const ends = [parked.at, next].filter(end => end !== undefined)
    const isUnknown = ends.length === 0 || wasMoved(ends)
    if (!isUnknown && ends.length === 2 && isInsideAllTime(during, span, ends)) inside.push(span)
    else if (isUnknown || ends.some(end => during.some(({ vicinity }) => isNear(vicinity, end)))) ranges.push(span)
    return ranges.at(-1) === span
  }
  for (const trip of trips) {
    const during = vicinities.filter(vicinity => overlap(trip, vicinity)).map(({ vicinity }) => vicinity)
    const look = lookAtRoute(trip.polyline, during)
    const isWatched = stand(trip.fromMs, look?.first)
    const passes = trip.isOpen ? 'near' : (look?.nearness ?? 'near')
    const nearness = during.length === 0 ? 'far' : isWatched && passes === 'far' ? 'leaves' : passes
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

/** A trip begins elsewhere than the one before it ended. */
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

/** A trip that is near an area at its ends only. */
interface TripNearAtEnds extends TimeRange {
  readonly polyline: string
  readonly isNearAtFirst: boolean
  readonly isNearAtLast: boolean
  readonly vicinities: readonly Vicinity[]
}

/** Reads a few fixes of each trip, in the order of time. */
export type ReadFixes<Trip> = (trips: readonly Trip[], wanted: FixesWanted) => Promise<readonly (readonly TimedFix[])[]>

/** How many fixes are near is not known before: a dongle may send one a second or one a minute. */
const SKIPS = [5, 20, 80]
/** Fixes are read from so many on that are far from the area, so that it is known which fixes can be believed (`placeAfter`). */
const FIXES_BEFORE = 3
/** So near to the route is a fix from which it was made: within its tolerance, and what it is rounded by. */
const ON_ROUTE_M = 15
/** So far beyond what is near the route is for sure, where such a fix is. */
const BEYOND_M = 30

/** A route leaves and returns to an area's surroundings once at most: one fix on its far part excludes all before or
 * behind it. @returns for each trip the intervals in which its samples decide */
async function nearEnds<Trip extends { readonly trip: TripNearAtEnds }>(
  trips: readonly Trip[],
  readFixes: ReadFixes<Trip>,
): Promise<readonly (readonly TimeRange[])[]> {
  const left = await timesOfFar(
    trips.filter(({ trip }) => trip.isNearAtFirst),
    false,
    readFixes,
  )
  const arrived = await timesOfFar(
    trips.filter(({ trip }) => trip.isNearAtLast),
    true,
    readFixes,
  )
  return trips.map(each => {
    const { fromMs, toMs, isNearAtFirst, isNearAtLast } = each.trip
    const leftMs = left.get(each)
    const arrivedMs = arrived.get(each)
    if ((isNearAtFirst && leftMs === undefined) || (isNearAtLast && arrivedMs === undefined)) return [{ fromMs, toMs }]
    return [
      ...(leftMs === undefined ? [] : [{ fromMs, toMs: leftMs + 1 }]),
      ...(arrivedMs === undefined ? [] : [{ fromMs: arrivedMs, toMs }]),
    ]
  })
}

/** The time of a fix on the far part of each trip, not far from its near part; without those of which none was found. */
async function timesOfFar<Trip extends { readonly trip: TripNearAtEnds }>(
  trips: readonly Trip[],
  isFromEnd: boolean,
  readFixes: ReadFixes<Trip>,
): Promise<ReadonlyMap<Trip, number>> {
  const times = new Map<Trip, number>()
  let unknown = trips
  for (const skip of SKIPS) {
    const found = await readFixes(unknown, { isFromEnd, skip, most: isFromEnd ? FIXES_BEFORE : 1 })
    const still: Trip[] = []
    unknown.forEach((each, index) => {
      const fixes = found[index] ?? []
      const proof = isFromEnd ? fixes.at(-1) : fixes[0]
      const [first] = fixes
      if (first && proof && isOnFarPart(each.trip, proof.fix)) times.set(each, first.timeMs)
      // Without a fix there, it has fewer of them.
      else if (proof) still.push(each)
    })
    unknown = still
    if (unknown.length === 0) break
  }
  return times
}

function isOnFarPart({ polyline, vicinities }: TripNearAtEnds, fix: Position): boolean {
  if (!vicinities.every(vicinity => beyondM(vicinity, fix) > BEYOND_M)) return false
  const line = positionsOf(polyline).map(({ lon, lat }) => [lon, lat] as const)
  return measuredShape({ type: 'corridor', line, halfWidthM: ON_ROUTE_M }).signedDistanceM(fix.lon, fix.lat) <= 0
}
