import type { RuleKindName } from '../../src/catalogue/rule-kinds/index.ts'
import type { DeviceId, Position } from '../../src/model/sample.ts'
import type { Asked } from '../accuracy/true-incident.ts'

/** Which fleet it is: with the same, the same happens again. */
export interface FleetLine {
  readonly fleet: {
    readonly vehicles: number
    readonly seed: number
    readonly faults: readonly string[]
    readonly fromMs: number
    /** The kinds of dongles and the seconds between their records, where they were chosen. */
    readonly dongles?: readonly string[]
    readonly intervalS?: number
    /** How many of the cars have a second dongle, where any has. */
    readonly twoDongles?: number
    /** What rules ask for, where the truth tells of incidents. */
    readonly incidents?: Asked
  }
}

/** What a dongle of the fleet is, once before its first trip. */
export interface DongleLine {
  readonly dongle: {
    readonly deviceId: DeviceId
    readonly kind: string
    /** Seconds between two records of a car that is driven. */
    readonly everyS: number
    /** Only false: it reads no VIN, so nobody but an operator knows in which car it is. */
    readonly tellsVin?: false
    /** The VIN of the car in which it is the second dongle, beside another one. */
    readonly secondIn?: string
  }
}

/** A time in which the dongle was in a car; those of one car follow one another. */
export interface StintLine {
  readonly stint: {
    readonly deviceId: DeviceId
    readonly vin: string
    readonly start: string
    readonly end: string
  }
}

/** Records that were acknowledged: the time of the first one, and how much later than the one before each other one is. */
interface AcknowledgedLine {
  readonly acknowledged: readonly [deviceId: DeviceId, firstMs: number, ...laterMs: number[]]
}

/** The same for records of an impossible time, which the service keeps apart. */
interface MisdatedLine {
  readonly misdated: AcknowledgedLine['acknowledged']
}

/**
 * Everything that the dongle sends until then is acknowledged, and its trips and the fault codes of its car are in the file. Of
 * trips that end after `allToldMs` it may not have told everything yet.
 */
interface PassedLine {
  readonly passed: readonly [deviceId: DeviceId, untilMs: number, allToldMs: number]
}

/** A drive, as far as the dongle in the car could observe it. */
export interface TripLine {
  readonly trip: {
    readonly deviceId: DeviceId
    readonly vin: string
    /** ISO 8601, UTC. */
    readonly start: string
    readonly end: string
    readonly metres: number
    readonly from: Position
    readonly to: Position
    /** Of the whole drive, whatever the dongle observed. */
    readonly drivenMetres: number
    /** When the whole drive began and ended; absent in a file of before that was written down. */
    readonly driveStart?: string
    readonly driveEnd?: string
    /** Where the dongle's data leaves it open: any start, end and length up to these is right, too. */
    readonly earliestStart?: string
    readonly latestEnd?: string
    readonly mostMetres?: number
    /** Only false: the records do not show that the car was driven, so it is right to find the drive, and right not to. */
    readonly isSure?: false
    /** A single trip for this and the next drive is right, too, if the car stands for less than this between them. */
    readonly joinsNextBelowMs?: number
    /** Faults that hit the dongle from the start of this drive to that of the next one; absent: none, or not known. */
    readonly faults?: readonly string[]
  }
}

/** A fault code that a car stored; a later line of the same dongle, car, code and start takes its place. */
export interface FaultLine {
  readonly fault: {
    readonly deviceId: DeviceId
    readonly vin: string
    readonly code: string
    readonly start: string
    /** null while it is stored. */
    readonly end: string | null
    /** The first list of the dongle with it, and the first one after that without it; null while there is none. */
    readonly listed: string | null
    readonly cleared: string | null
  }
}

/** Something that a rule of its kind should find. */
export interface IncidentLine {
  readonly incident: {
    readonly deviceId: DeviceId
    readonly vin: string
    readonly kind: RuleKindName
    readonly start: string
    readonly end: string
    /** Only false: the records do not show it clearly, so it is right to find it, and right not to. */
    readonly isSure?: false
  }
}

/** A line of a truth file, which is JSON Lines: what is written stays usable whenever the writer is killed. */
export type TruthLine =
  | FleetLine
  | DongleLine
  | StintLine
  | AcknowledgedLine
  | MisdatedLine
  | PassedLine
  | TripLine
  | FaultLine
  | IncidentLine

/** Times as a line keeps them. */
export function packTimes(
  deviceId: DeviceId,
  [firstMs, ...othersMs]: readonly [number, ...number[]],
): AcknowledgedLine['acknowledged'] {
  let beforeMs = firstMs
  const laterMs = othersMs.map(timeMs => {
    const difference = timeMs - beforeMs
    beforeMs = timeMs
    return difference
  })
  return [deviceId, firstMs, ...laterMs]
}

/** The times of such a line, in milliseconds since 1970. */
export function timesOf([, firstMs, ...laterMs]: AcknowledgedLine['acknowledged']): number[] {
  let timeMs = firstMs
  return [firstMs, ...laterMs.map(difference => (timeMs += difference))]
}
