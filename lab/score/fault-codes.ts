import type { FaultLine } from '../simulate/truth.ts'
import type { Cars } from './cars.ts'

/** A code that the API tells of. */
export interface FoundCode {
  readonly deviceId: number
  readonly code: string
  readonly vehicleId: string
  readonly label: string
  readonly recordedMs: number
  readonly deletedMs: number | undefined
}

export interface FaultScore {
  /** Stored by cars, and of these told of in a list of a dongle. */
  readonly stored: number
  readonly listed: number
  readonly found: number
  /** Of those found: how many have a text, and begin and end with the lists that say so. */
  readonly labelled: number
  readonly rightlyBegun: number
  readonly rightlyEnded: number
  /** Found though no dongle told of them. */
  readonly unexpected: number
  readonly missed: readonly FaultLine['fault'][]
}

/** A protocol may tell times in whole seconds. */
const ROUNDING_MS = 1000

/** Compares the fault codes that cars stored with those that are found. */
export function scoreFaults(
  stored: readonly FaultLine['fault'][],
  found: readonly FoundCode[],
  cars: Cars,
): FaultScore {
  const free = new Set(found.filter(isStanding))
  const listed = stored.flatMap(fault => (fault.listed === null ? [] : [{ fault, listedMs: Date.parse(fault.listed) }]))
  const matches = listed.flatMap(({ fault, listedMs }) => {
    const [match] = [...free]
      .filter(
        ({ deviceId, code, vehicleId }) =>
          deviceId === fault.deviceId && code === fault.code && cars.vinOf(vehicleId) === fault.vin,
      )
      .sort((a, b) => Math.abs(a.recordedMs - listedMs) - Math.abs(b.recordedMs - listedMs))
    if (!match) return []
    free.delete(match)
    return [{ fault, match, listedMs }]
  })
  const matched = new Set(matches.map(({ fault }) => fault))
  return {
    // Each dongle that was in the car then has a line of it.
    stored: new Set(stored.map(({ vin, code, start }) => `${vin} ${code} ${start}`)).size,
    listed: listed.length,
    found: matches.length,
    labelled: matches.filter(({ match }) => match.label !== '').length,
    rightlyBegun: matches.filter(({ match, listedMs }) => isAbout(match.recordedMs, listedMs)).length,
    rightlyEnded: matches.filter(({ fault, match }) =>
      fault.cleared === null
        ? match.deletedMs === undefined
        : match.deletedMs !== undefined && isAbout(match.deletedMs, Date.parse(fault.cleared)),
    ).length,
    unexpected: free.size,
    missed: listed.filter(({ fault }) => !matched.has(fault)).map(({ fault }) => fault),
  }
}

/** What was taken back, because it turned out never to have been, stays for clients that sync; it ends as it begins. */
const isStanding = ({ recordedMs, deletedMs }: FoundCode) => recordedMs !== deletedMs

const isAbout = (timeMs: number, otherMs: number) => Math.abs(timeMs - otherMs) < ROUNDING_MS
