import type { Position } from '../../../model/sample.ts'

/**
 * Google's encoded polyline format, precision 5
 * (https://developers.google.com/maps/documentation/utilities/polylinealgorithm).
 */

const UNITS_PER_DEGREE = 1e5

/** Degrees as the whole number of hundred thousandths that the format knows. */
export function fixedDegrees(degrees: number): number {
  const fixed = Math.round(degrees * UNITS_PER_DEGREE)
  return fixed === 0 ? 0 : fixed
}

function encodedNumber(value: number): string {
  let rest = value < 0 ? -2 * value - 1 : 2 * value
  let text = ''
  while (rest >= 32) {
    text += String.fromCharCode(63 + 32 + (rest % 32))
    rest = Math.floor(rest / 32)
  }
  return text + String.fromCharCode(63 + rest)
}

/** One more point of a line, given as its difference from the one before; the first as its difference from 0,0. */
export function encodedStep(north: number, east: number): string {
  return encodedNumber(north) + encodedNumber(east)
}

/** The points of a line: latitude and longitude in whole hundred thousandths of a degree. */
export function pointsOf(text: string): (readonly [lat: number, lon: number])[] {
  const points: [number, number][] = []
  eachPoint(text, (lat, lon) => {
    points.push([lat, lon])
    return true
  })
  return points
}

/** Reads the points of a line one by one, in the same form, as long as `wants` returns true: nothing is made of the others. */
export function eachPoint(text: string, wants: (lat: number, lon: number) => boolean): void {
  let index = 0
  let lat = 0
  let lon = 0
  while (index < text.length) {
    let result = 0
    let shift = 0
    let five: number
    do {
      five = text.charCodeAt(index++) - 63
      result |= (five & 31) << shift
      shift += 5
    } while (five >= 32)
    lat += result & 1 ? ~(result >> 1) : result >> 1
    result = 0
    shift = 0
    do {
      five = text.charCodeAt(index++) - 63
      result |= (five & 31) << shift
      shift += 5
    } while (five >= 32)
    lon += result & 1 ? ~(result >> 1) : result >> 1
    if (!wants(lat, lon)) return
  }
}

/** The same in degrees. */
export function positionsOf(text: string): Position[] {
  return pointsOf(text).map(([lat, lon]) => ({ lon: lon / UNITS_PER_DEGREE, lat: lat / UNITS_PER_DEGREE }))
}
