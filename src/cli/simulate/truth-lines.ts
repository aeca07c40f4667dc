import type { DeviceId } from '../../intake/sample.ts'

/** Which fleet it is: with the same, the same happens again. */
export interface FleetLine {
  readonly fleet: {
    readonly vehicles: number
    readonly seed: number
    readonly faults: readonly string[]
    readonly fromMs: number
  }
}

/** Records that were acknowledged: the time of the first one, and how much later than the one before each other one is. */
export interface AcknowledgedLine {
  readonly acknowledged: readonly [deviceId: DeviceId, firstMs: number, ...laterMs: number[]]
}

/** The same for records of an impossible time, which the service keeps apart. */
export interface MisdatedLine {
  readonly misdated: AcknowledgedLine['acknowledged']
}

/** Everything that the dongle sends until then is acknowledged. */
export interface PassedLine {
  readonly passed: readonly [deviceId: DeviceId, untilMs: number]
}

export interface TripLine {
  readonly trip: {
    readonly deviceId: DeviceId
    readonly vin: string
    /** ISO 8601, UTC. */
    readonly start: string
    readonly end: string
    readonly metres: number
    /** Longitude and latitude. */
    readonly from: readonly [lon: number, lat: number]
    readonly to: readonly [lon: number, lat: number]
  }
}

/** A fault code that the car stored. */
export interface FaultLine {
  readonly fault: {
    readonly deviceId: DeviceId
    readonly vin: string
    readonly code: string
    readonly kind: 'permanent' | 'sporadic'
    readonly start: string
    /** null while it is stored. */
    readonly end: string | null
  }
}

/** A line of a truth file, which is JSON Lines: what is written stays usable whenever the writer is killed. */
export type TruthLine = FleetLine | AcknowledgedLine | MisdatedLine | PassedLine | TripLine | FaultLine

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
