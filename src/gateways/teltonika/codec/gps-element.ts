import { requiredEventType } from '../../../catalogue/event-types.ts'

/** The position of every record: longitude and latitude (4 bytes each), altitude, course (2), satellites (1), speed (2). */
export const GPS_BYTES = 15

export const GPS_TYPES = {
  position: requiredEventType('POSITION').id,
  altitude: requiredEventType('GPS_ALTITUDE').id,
  course: requiredEventType('GPS_COURSE').id,
  satellites: requiredEventType('GPS_SATELLITES_IN_USE').id,
  speed: requiredEventType('GPS_SPEED').id,
} as const

export const UNITS_PER_DEGREE = 1e7

const MOST_LON = 180 * UNITS_PER_DEGREE
const MOST_LAT = 90 * UNITS_PER_DEGREE
/** Values outside of these bounds mean "not available". */
const LEAST_ALTITUDE_M = -500
const MOST_ALTITUDE_M = 9000
const MOST_COURSE_DEG = 360
const MOST_SATELLITES = 100
const MOST_SPEED_KMH = 500

/** The GPS data of one record. NaN for unknown values. */
export interface GpsElement {
  lon: number
  lat: number
  altitudeM: number
  courseDeg: number
  satellites: number
  speedKmh: number
}

/**
 * Reads a GPS element into an object that is reused. Without satellites there is no fix: devices then repeat their last
 * position with speed 0. 0,0 and positions that are not on the earth are no fix, either.
 */
export function readGps(view: DataView, at: number, into: GpsElement): void {
  const lon = view.getInt32(at)
  const lat = view.getInt32(at + 4)
  const satellites = view.getUint8(at + 12)
  into.satellites = satellites <= MOST_SATELLITES ? satellites : Number.NaN
  const isFix =
    satellites > 0 &&
    (lon !== 0 || lat !== 0) &&
    lon <= MOST_LON &&
    lon >= -MOST_LON &&
    lat <= MOST_LAT &&
    lat >= -MOST_LAT
  if (!isFix) {
    into.lon = Number.NaN
    into.lat = Number.NaN
    into.altitudeM = Number.NaN
    into.courseDeg = Number.NaN
    into.speedKmh = Number.NaN
    return
  }
  const altitudeM = view.getInt16(at + 8)
  const courseDeg = view.getUint16(at + 10)
  const speedKmh = view.getUint16(at + 13)
  into.lon = lon / UNITS_PER_DEGREE
  into.lat = lat / UNITS_PER_DEGREE
  into.altitudeM = altitudeM >= LEAST_ALTITUDE_M && altitudeM <= MOST_ALTITUDE_M ? altitudeM : Number.NaN
  into.courseDeg = courseDeg <= MOST_COURSE_DEG ? courseDeg % MOST_COURSE_DEG : Number.NaN
  into.speedKmh = speedKmh <= MOST_SPEED_KMH ? speedKmh : Number.NaN
}
