/** The corners of a box around the points. @returns undefined without points */
export function boundsOf(
  points: readonly (readonly [longitude: number, latitude: number])[],
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
