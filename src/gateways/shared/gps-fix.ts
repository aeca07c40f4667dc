import { type EventTypeId, requiredEventType } from '../../catalogue/event-types.ts'
import type { EventValue } from '../../model/sample.ts'

/** What a GNSS receiver reported for one instant; undefined where it reported nothing. */
export interface GpsFix {
  readonly lat: number
  readonly lon: number
  readonly altitudeM: number | undefined
  readonly speedKmh: number | undefined
  /** From north, clockwise. */
  readonly courseDeg: number | undefined
}

/** A knot is exactly 1,852 m per hour (ISO 80000-3). */
export const KMH_PER_KNOT = 1.852
export const KMH_PER_METRE_PER_SECOND = 3.6

const POSITION = requiredEventType('POSITION').id
const GPS_ALTITUDE = requiredEventType('GPS_ALTITUDE').id
const GPS_SPEED = requiredEventType('GPS_SPEED').id
const GPS_COURSE = requiredEventType('GPS_COURSE').id

/**
 * Adds a fix to the events of its instant, unless it is not on the earth. Receivers without a fix report latitude 0 and
 * longitude 0.
 */
export function putGpsFix(events: Map<EventTypeId, EventValue>, fix: GpsFix): void {
  const { lat, lon, altitudeM, speedKmh, courseDeg } = fix
  const isPlace = Math.abs(lat) <= 90 && Math.abs(lon) <= 180 && !(lat === 0 && lon === 0)
  if (!isPlace) return
  events.set(POSITION, { lon, lat })
  if (altitudeM !== undefined) events.set(GPS_ALTITUDE, altitudeM)
  if (speedKmh !== undefined && speedKmh >= 0) events.set(GPS_SPEED, withoutDust(speedKmh))
  if (courseDeg !== undefined && courseDeg >= 0 && courseDeg <= 360) events.set(GPS_COURSE, courseDeg % 360)
}

/** 50 km/h sent as 26.99785 kn become 50 again; no receiver measures a thousandth of a km/h. */
function withoutDust(speedKmh: number): number {
  return Math.round(speedKmh * 1000) / 1000
}

/** The fields of a JSON object from outside. */
export type JsonFields = Readonly<Record<string, unknown>>

/** @returns undefined for anything but a JSON object. */
export function jsonFieldsOf(value: unknown): JsonFields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonFields) : undefined
}
