/** A drive that must be found. Where nobody could tell exactly, there is a range of right answers. */
export interface ExpectedTrip {
  readonly startMs: number
  readonly endMs: number
  readonly distanceM: number
  /** It is as right to find the start as early as this, ... */
  readonly earliestStartMs?: number
  /** ... the end as late as this, ... */
  readonly latestEndMs?: number
  /** ... and a length up to this. */
  readonly mostM?: number
  /** false: it is right to find it, and right not to. */
  readonly isWitnessed?: boolean
  /** It is right to find one trip of this and the next drive, when the stay between them is shorter than this. */
  readonly joinsNextBelowMs?: number
}

/** A trip that was worked out. */
export interface FoundTrip {
  readonly startMs: number
  readonly endMs: number
  readonly distanceM: number
}

export interface Match<Drive extends ExpectedTrip = ExpectedTrip, Trip extends FoundTrip = FoundTrip> {
  readonly expected: Drive
  readonly found: Trip
}

/** How well trips that were worked out agree with those that were driven. */
export interface Score {
  readonly expected: number
  readonly found: number
  readonly matches: readonly Match[]
  /** The harmonic mean of precision and recall: 1 when each drive was found once and nothing else. */
  readonly f1: number
  /** Of the matched trips: the sum of all errors, whichever their sign, by the sum of the distances. */
  readonly distanceError: number
  /** The half of the matched trips is better. */
  readonly medianDistanceError: number
}

/**
 * Matches trips with drives: both ends must lie within `toleranceMs`, and each counts once.
 * @param expected of one device
 */
export function matchesOf<Drive extends ExpectedTrip, Trip extends FoundTrip>(
  expected: readonly Drive[],
  found: readonly Trip[],
  toleranceMs: number,
): Match<Drive, Trip>[] {
  const free = new Set(found)
  return expected.flatMap(drive => {
    const { startMs, endMs, earliestStartMs = startMs, latestEndMs = endMs } = drive
    const trip = [...free].find(
      item =>
        item.startMs >= earliestStartMs - toleranceMs &&
        item.startMs <= startMs + toleranceMs &&
        item.endMs >= endMs - toleranceMs &&
        item.endMs <= latestEndMs + toleranceMs,
    )
    if (!trip) return []
    free.delete(trip)
    return [{ expected: drive, found: trip }]
  })
}

/** Adds up what was found of several devices. Without any drive or any trip the shares are not a number. */
export function scoreOf(
  devices: readonly { readonly expected: number; readonly found: number; readonly matches: readonly Match[] }[],
): Score {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  const matches = devices.flatMap(device => device.matches)
  const expected = sum(devices.map(device => device.expected))
  const found = sum(devices.map(device => device.found))
  const errorsM = matches.map(match => errorM(match))
  const shares = matches.map((match, i) => (errorsM[i] ?? 0) / mostM(match.expected)).sort((a, b) => a - b)
  return {
    expected,
    found,
    matches,
    f1: (2 * matches.length) / (expected + found),
    distanceError: sum(errorsM) / sum(matches.map(match => match.expected.distanceM)),
    medianDistanceError: shares[Math.floor(shares.length / 2)] ?? Number.NaN,
  }
}

/** By how much a length is outside of what is right. */
function errorM({ expected, found }: Match): number {
  return Math.max(0, expected.distanceM - found.distanceM, found.distanceM - mostM(expected))
}

function mostM({ distanceM, mostM: most = distanceM }: ExpectedTrip): number {
  return most
}
