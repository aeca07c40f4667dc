import type { TimeRange } from '../../../model/time-range.ts'
import { type Candidates, joined } from './candidates.ts'
import { nearEnds, type ReadFixes, type TripNearAtEnds } from './trip-ends.ts'

/** An interval whose samples decide on visits. */
export interface DecidingRange extends TimeRange {
  /** From the interval before to this one the car stood well inside: a visit goes on. */
  readonly isAfterStandingInside: boolean
}

/**
 * The intervals whose samples decide, for each of some candidates: ascending.
 * @param readFixes reads fixes of a trip of the candidates at an index
 */
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
