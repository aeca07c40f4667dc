import type { Position } from '../../../model/sample.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import type { FixesWanted, TimedFix } from '../../../store/index.ts'
import { beyondM, isOnRoute, type Vicinity } from './route-near.ts'

/** A trip that is near an area at its ends only. */
export interface TripNearAtEnds extends TimeRange {
  readonly polyline: string
  readonly isNearAtFirst: boolean
  readonly isNearAtLast: boolean
  readonly vicinities: readonly Vicinity[]
}

/** Reads a few fixes of each trip, in the order of time. */
export type ReadFixes<Trip> = (trips: readonly Trip[], wanted: FixesWanted) => Promise<readonly (readonly TimedFix[])[]>

/** How many fixes are near is not known before: a dongle may send one a second or one a minute. */
const SKIPS = [5, 20, 80]
/** What is looked at begins with so many fixes far from the area, so that it is known which fixes can be believed (`placeAfter`). */
const FIXES_BEFORE = 3
/** So near to the route is a fix that the route tells of: within its tolerance, and what it is rounded by. */
const ON_ROUTE_M = 15
/** So far beyond what is near the route is for sure, where such a fix is. */
const BEYOND_M = 30

/**
 * When trips were near an area: as a route leaves what is near once and returns to it once at most, one fix on its far part
 * says that all before it, or behind it, was far, too.
 * @returns for each trip the intervals in which its samples decide
 */
export async function nearEnds<Trip extends { readonly trip: TripNearAtEnds }>(
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
  return vicinities.every(vicinity => beyondM(vicinity, fix) > BEYOND_M) && isOnRoute(polyline, fix, ON_ROUTE_M)
}
