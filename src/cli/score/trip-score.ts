/** A drive that must be found. */
export interface ExpectedTrip {
  readonly startMs: number
  readonly endMs: number
  readonly distanceM: number
}

/** A trip that was worked out. */
export type FoundTrip = ExpectedTrip

export interface Match {
  readonly expected: ExpectedTrip
  readonly found: FoundTrip
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
export function matchesOf(
  expected: readonly ExpectedTrip[],
  found: readonly FoundTrip[],
  toleranceMs: number,
): Match[] {
  const free = new Set(found)
  return expected.flatMap(drive => {
    const trip = [...free].find(
      ({ startMs, endMs }) =>
        Math.abs(startMs - drive.startMs) <= toleranceMs && Math.abs(endMs - drive.endMs) <= toleranceMs,
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
  const errorsM = matches.map(match => Math.abs(match.found.distanceM - match.expected.distanceM))
  const shares = matches.map((match, i) => (errorsM[i] ?? 0) / match.expected.distanceM).sort((a, b) => a - b)
  return {
    expected,
    found,
    matches,
    f1: (2 * matches.length) / (expected + found),
    distanceError: sum(errorsM) / sum(matches.map(match => match.expected.distanceM)),
    medianDistanceError: shares[Math.floor(shares.length / 2)] ?? Number.NaN,
  }
}
