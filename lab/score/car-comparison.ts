import { compareDevice, type DeviceComparison, type Metres } from './device-comparison.ts'
import type { ExpectedTrip, FoundTrip, Match } from './trip-score.ts'

/** A drive of a car, whatever its dongles could know of it. */
interface WholeDrive {
  readonly startMs: number
  readonly endMs: number
  readonly distanceM: number
}

/** What one of the dongles in a car could know of a drive. */
export interface WitnessedDrive extends ExpectedTrip {
  readonly drive: WholeDrive
}

/** One of the dongles in a car. */
export interface DongleInCar<Trip extends FoundTrip> {
  readonly drives: readonly WitnessedDrive[]
  /** Trips that count: of those that overlap, one. */
  readonly counting: readonly Trip[]
  readonly toleranceMs: number
}

/** The drives of a car with several dongles, each once, against the trips that count. */
export interface CarComparison<Trip extends FoundTrip>
  extends Pick<DeviceComparison<Trip>, 'expected' | 'found' | 'matches'> {
  /** Those that at least one of the dongles had to find. */
  readonly drives: readonly WholeDrive[]
  /** The whole of these drives, and all trips that count. */
  readonly metres: Metres
}

/**
 * A trip that counts is right if it is one that its dongle had to find; a second one of the same drive is wrong. A drive is missed if
 * one of the dongles had to find it, and no trip that counts tells of it.
 */
export function compareCar<Trip extends FoundTrip>(dongles: readonly DongleInCar<Trip>[]): CarComparison<Trip> {
  const drives = witnessedByAny(dongles)
  const found = new Set<WholeDrive>()
  const matches: Match<ExpectedTrip, Trip>[] = []
  let wrong = 0
  for (const { drives: expected, counting, toleranceMs } of dongles) {
    const comparison = compareDevice(expected, counting, toleranceMs)
    const matchOf = new Map([...comparison.matches, ...comparison.spared].map(match => [match.found, match]))
    for (const trip of counting) {
      const driven = drives.filter(({ startMs, endMs }) => trip.startMs < endMs && startMs < trip.endMs)
      const match = matchOf.get(trip)
      const isRepeated = driven.length > 0 && driven.every(drive => found.has(drive))
      if (!match || isRepeated) wrong++
      else if (driven.length > 0) matches.push(match)
      if (match) for (const drive of driven) found.add(drive)
    }
  }
  const sumM = (items: readonly { readonly distanceM: number }[]) =>
    items.reduce((sum, { distanceM }) => sum + distanceM, 0)
  const drivenM = sumM(drives)
  return {
    drives,
    expected: matches.length + drives.length - found.size,
    found: matches.length + wrong,
    matches,
    metres: { leastM: drivenM, mostM: drivenM, foundM: sumM(dongles.flatMap(({ counting }) => counting)) },
  }
}

function witnessedByAny(dongles: readonly DongleInCar<FoundTrip>[]): WholeDrive[] {
  const byStart = new Map<number, WholeDrive>()
  for (const { drives } of dongles)
    for (const { drive, isWitnessed } of drives) if (isWitnessed !== false) byStart.set(drive.startMs, drive)
  return [...byStart.values()]
}
