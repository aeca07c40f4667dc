import type { Position } from '../../src/model/sample.ts'

/** On a sphere with the earth's mean radius, 6371 km. */
const METRES_PER_DEGREE = 111_195

export interface Way {
  readonly eastM: number
  readonly northM: number
}

/** Longitudes end at 180 degrees east and go on at 180 west. */
export function wrappedDegrees(degrees: number): number {
  return degrees >= -180 && degrees < 180 ? degrees : ((((degrees + 180) % 360) + 360) % 360) - 180
}

export function wayBetween(from: Position, to: Position): Way {
  return {
    eastM: wrappedDegrees(to.lon - from.lon) * METRES_PER_DEGREE * Math.cos((from.lat * Math.PI) / 180),
    northM: (to.lat - from.lat) * METRES_PER_DEGREE,
  }
}

export function metresBetween(from: Position, to: Position): number {
  const { eastM, northM } = wayBetween(from, to)
  return Math.hypot(eastM, northM)
}

export function moved(from: Position, { eastM, northM }: Way): Position {
  return {
    lon: wrappedDegrees(from.lon + eastM / (METRES_PER_DEGREE * Math.cos((from.lat * Math.PI) / 180))),
    lat: from.lat + northM / METRES_PER_DEGREE,
  }
}

/** The way of that length in a direction, in degrees clockwise from north. */
export function wayTowards(courseDeg: number, lengthM: number): Way {
  const angle = (courseDeg * Math.PI) / 180
  return { eastM: lengthM * Math.sin(angle), northM: lengthM * Math.cos(angle) }
}

/** Height above the sea in made-up rolling country, in metres. */
export function heightM({ lon, lat }: Position): number {
  return 230 + 40 * Math.sin(lat * 90) + 30 * Math.sin(lon * 60 + 1) + 4 * Math.sin(lat * 400 + lon * 300)
}

const BASE_M = 20

/** The slope in a direction: metres up for each metre, negative downhill. */
export function gradientAt(position: Position, courseDeg: number): number {
  return (heightM(moved(position, wayTowards(courseDeg, BASE_M))) - heightM(position)) / BASE_M
}
