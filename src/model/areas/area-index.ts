import Flatbush from 'flatbush'
import { type MeasuredShape, measuredShape, turned, widened } from './measured-shape.ts'
import type { AreaShape } from './shape.ts'

export interface NearbyArea<Area> {
  readonly area: Area
  /** Negative inside. */
  readonly signedDistanceM: number
}

/** Of many areas, those in and near a point. */
export interface AreaIndex<Area> {
  /** The areas that contain the point or are at most `withinM` away from it, in the order in which they were given. */
  near(longitude: number, latitude: number): readonly NearbyArea<Area>[]
}

/** @param areas with shapes as `checkShape` allows them
 * @param withinM how far outside of an area a point may be to find it: the hysteresis of presence */
export function areaIndexOf<Area extends { readonly shape: AreaShape }>(
  areas: readonly Area[],
  withinM: number,
): AreaIndex<Area> {
  const boxes: { area: Area; shape: MeasuredShape; west: number; south: number; east: number; north: number }[] = []
  for (const area of areas) {
    const shape = measuredShape(area.shape)
    const { west, south, east, north } = widened(shape.bounds, withinM)
    boxes.push({ area, shape, west, south, east, north })
    // An area across the antimeridian is found from both sides of it; no point is in both boxes.
    if (east > 180) boxes.push({ area, shape, west: west - 360, south, east: east - 360, north })
  }
  if (boxes.length === 0) return { near: () => [] }
  const tree = new Flatbush(boxes.length)
  for (const { west, south, east, north } of boxes) tree.add(west, south, east, north)
  tree.finish()
  return {
    near(longitude, latitude) {
      const x = turned(longitude)
      const found = tree.search(x, latitude, x, latitude)
      if (found.length > 1) found.sort((a, b) => a - b)
      return found.flatMap(index => {
        const box = boxes[index]
        const signedDistanceM = box?.shape.signedDistanceM(x, latitude) ?? Number.POSITIVE_INFINITY
        return box && signedDistanceM <= withinM ? { area: box.area, signedDistanceM } : []
      })
    },
  }
}
