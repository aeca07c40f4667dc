import type { DeviceId, Sample } from '../src/model/sample.ts'
import { sampleWith, type Values } from './sample-with.ts'

const MINUTE_MS = 60_000
/** To the north in a minute, at 36 km/h. */
const MINUTE_DEG = 0.0054

let lastDevice = 356307042440000

interface DriveOptions {
  /** From one sample to the next; half a minute unless told otherwise. */
  readonly stepMinutes?: number
  /** Read at the samples of the first minute. */
  readonly vin?: string | undefined
  /** What else is measured. */
  readonly more?: (minute: number) => Values
}

/** A dongle of its own in the test, and what it measures. Times are minutes after the start. */
export class Dongle {
  readonly id: DeviceId
  readonly imei: string
  readonly #startMs: number

  constructor(startMs: number, id = ++lastDevice) {
    this.id = id as DeviceId
    this.imei = `IMEI_${id}`
    this.#startMs = startMs
  }

  at(minute: number, values: Values = {}): Sample {
    return sampleWith(this.id, this.#startMs + Math.round(minute * MINUTE_MS), values)
  }

  /** On the way at 36 km/h with the ignition on. */
  driving(minute: number, more: Values = {}): Sample {
    const position = { lon: 11.6, lat: 48.1 + minute * MINUTE_DEG }
    return this.at(minute, { IS_IGNITION_ON: true, VEHICLE_SPEED_AVERAGE: 36, POSITION: position, ...more })
  }

  off(minute: number): Sample {
    return this.at(minute, { IS_IGNITION_ON: false })
  }

  /** A part of a drive, without its end. */
  underWay(from: number, to: number, { stepMinutes = 0.5, vin, more = () => ({}) }: DriveOptions = {}): Sample[] {
    return Array.from({ length: Math.ceil((to - from) / stepMinutes) }, (_, step) => {
      const minute = from + step * stepMinutes
      return this.driving(minute, { ...(vin !== undefined && minute < from + 1 ? { VIN: vin } : {}), ...more(minute) })
    })
  }

  /** A drive, with the ignition turned off at its end. */
  drive(from: number, to: number, options?: DriveOptions): Sample[] {
    return [...this.underWay(from, to, options), this.off(to)]
  }
}
