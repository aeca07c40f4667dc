import { type ExpectedTrip, type FoundTrip, type Match, matchesOf } from './trip-score.ts'

/** The drives of one device against the trips that were found of it. */
export interface DeviceComparison<Trip extends FoundTrip = FoundTrip> {
  /** Drives that had to be found, and trips that count: all but those of drives that need not be found. */
  readonly expected: number
  readonly found: number
  /** Of those drives and trips. */
  readonly matches: readonly Match<ExpectedTrip, Trip>[]
  /** Of drives that need not be found. */
  readonly spared: readonly Match<ExpectedTrip, Trip>[]
  readonly missed: readonly ExpectedTrip[]
  readonly invented: readonly Trip[]
}

/** Compares, with all that is as right as the truth. */
export function compareDevice<Trip extends FoundTrip>(
  drives: readonly ExpectedTrip[],
  found: readonly Trip[],
  toleranceMs: number,
): DeviceComparison<Trip> {
  const expected = joinedAsFound(drives, found)
  const all = matchesOf(expected, found, toleranceMs)
  const matches = all.filter(match => isNeeded(match.expected))
  const needed = expected.filter(isNeeded)
  const matchedDrives = new Set(all.map(match => match.expected))
  const matchedTrips = new Set(all.map(match => match.found))
  return {
    expected: needed.length,
    found: found.length - (all.length - matches.length),
    matches,
    spared: all.filter(match => !isNeeded(match.expected)),
    missed: needed.filter(drive => !matchedDrives.has(drive)),
    invented: found.filter(trip => !matchedTrips.has(trip)),
  }
}

function isNeeded({ isWitnessed }: ExpectedTrip): boolean {
  return isWitnessed !== false
}

/** Where a trip was found that leads over a stay which may be none, the drives around it are one. */
function joinedAsFound(drives: readonly ExpectedTrip[], found: readonly FoundTrip[]): ExpectedTrip[] {
  const joined: ExpectedTrip[] = []
  for (const drive of drives) {
    const before = joined.at(-1)
    const staysMs = drive.startMs - (before?.latestEndMs ?? before?.endMs ?? Number.NEGATIVE_INFINITY)
    const isOneTrip =
      before !== undefined &&
      staysMs < (before.joinsNextBelowMs ?? 0) &&
      found.some(({ startMs, endMs }) => startMs < before.endMs && drive.startMs < endMs)
    if (isOneTrip) joined[joined.length - 1] = both(before, drive)
    else joined.push(drive)
  }
  return joined
}

function both(before: ExpectedTrip, drive: ExpectedTrip): ExpectedTrip {
  return {
    ...drive,
    startMs: before.startMs,
    earliestStartMs: before.earliestStartMs ?? before.startMs,
    distanceM: before.distanceM + drive.distanceM,
    mostM: (before.mostM ?? before.distanceM) + (drive.mostM ?? drive.distanceM),
    isWitnessed: isNeeded(before) || isNeeded(drive),
  }
}

/** Metres that must be found, may be found, and were found. */
export interface Metres {
  readonly leastM: number
  readonly mostM: number
  readonly foundM: number
}

/** Adds them up over all drives and all trips, matched or not. */
export function metresOf(drives: readonly ExpectedTrip[], found: readonly FoundTrip[]): Metres {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  return {
    leastM: sum(drives.filter(isNeeded).map(({ distanceM }) => distanceM)),
    mostM: sum(drives.map(({ distanceM, mostM = distanceM }) => mostM)),
    foundM: sum(found.map(({ distanceM }) => distanceM)),
  }
}

/** By which share the metres found are outside of what is right: negative when there are too few. */
export function shareOff({ leastM, mostM, foundM }: Metres): number {
  if (foundM < leastM) return foundM / leastM - 1
  return foundM > mostM ? foundM / mostM - 1 : 0
}
