import type { FaultLine } from '../simulate/truth-lines.ts'

/** A code that the API tells of. */
export interface FoundCode {
  readonly code: string
  readonly vehicleId: string
  readonly label: string
  readonly recordedMs: number
  readonly deletedMs: number | undefined
}

export interface FaultScore {
  readonly stored: number
  readonly found: number
  /** Of those found: how many have a text, and are gone when they were cleared, or still there when they were not. */
  readonly labelled: number
  readonly rightlyEnded: number
  /** Found though no control unit stored them. */
  readonly unexpected: number
  /** How much later than it was stored a code was known. */
  readonly delaysMs: readonly number[]
  readonly missed: readonly FaultLine['fault'][]
}

/**
 * Compares codes of one device.
 * @param patienceMs how long it may take until a dongle looks for codes again
 */
export function scoreFaults(
  stored: readonly FaultLine['fault'][],
  found: readonly FoundCode[],
  patienceMs: number,
): FaultScore {
  const free = new Set(found)
  const missed: FaultLine['fault'][] = []
  const matches = stored.flatMap(fault => {
    const startMs = Date.parse(fault.start)
    const endMs = fault.end === null ? Number.POSITIVE_INFINITY : Date.parse(fault.end)
    const match = [...free].find(
      ({ code, vehicleId, recordedMs }) =>
        code === fault.code &&
        vehicleId === `VIN${fault.vin}` &&
        recordedMs >= startMs &&
        recordedMs <= Math.min(endMs, startMs + patienceMs),
    )
    if (match) free.delete(match)
    else missed.push(fault)
    return match ? [{ fault, match, startMs, endMs }] : []
  })
  return {
    stored: stored.length,
    found: matches.length,
    labelled: matches.filter(({ match }) => match.label !== '').length,
    rightlyEnded: matches.filter(({ match, endMs }) =>
      match.deletedMs === undefined ? endMs === Number.POSITIVE_INFINITY : match.deletedMs >= endMs,
    ).length,
    unexpected: free.size,
    delaysMs: matches.map(({ match, startMs }) => match.recordedMs - startMs),
    missed,
  }
}
