/** GeoJSON's order. */
export type LonLat = readonly [longitude: number, latitude: number]

/** The corners of a box around the points. @returns undefined without points */
export function boundsOf(
  points: readonly LonLat[],
): [west: number, south: number, east: number, north: number] | undefined {
  if (points.length === 0) return undefined
  let [west, south, east, north] = [180, 90, -180, -90]
  for (const [longitude, latitude] of points) {
    west = Math.min(west, longitude)
    east = Math.max(east, longitude)
    south = Math.min(south, latitude)
    north = Math.max(north, latitude)
  }
  return [west, south, east, north]
}

const UNITS_PER_DEGREE = 1e5

/**
 * The points of an encoded polyline, precision 5
 * (https://developers.google.com/maps/documentation/utilities/polylinealgorithm). A text that is cut short gives the
 * points that are whole.
 */
export function decodePolyline(text: string): LonLat[] {
  const points: LonLat[] = []
  const differences = decodedNumbers(text)
  let [latitude, longitude] = [0, 0]
  for (let index = 0; index + 1 < differences.length; index += 2) {
    latitude += differences[index] ?? 0
    longitude += differences[index + 1] ?? 0
    points.push([longitude / UNITS_PER_DEGREE, latitude / UNITS_PER_DEGREE])
  }
  return points
}

/** Five bits a character, the lowest first; 32 says that more follow, an odd number is below zero. */
function decodedNumbers(text: string): number[] {
  const numbers: number[] = []
  let [value, factor] = [0, 1]
  for (let at = 0; at < text.length; at++) {
    const bits = text.charCodeAt(at) - 63
    value += (bits % 32) * factor
    factor *= 32
    if (bits >= 32) continue
    numbers.push(value % 2 === 1 ? -(value + 1) / 2 : value / 2)
    value = 0
    factor = 1
  }
  return numbers
}
