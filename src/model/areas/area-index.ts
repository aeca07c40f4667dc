import Flatbush from 'flatbush'
import { turned } from './edges.ts'
import { type MeasuredShape, measuredShape, widened } from './measured-shape.ts'
import type { AreaShape } from './shape.ts'

/** An area near a point. */
export interface NearbyArea<Area> {
  readonly area: Area
  /** Negative inside. */
  readonly signedDistanceM: number
}

/** Of many areas, those in and near a point. */
export interface AreaIndex<Area> {
  /** The areas that hold the point or are at most `withinM` away from it, in the order in which they were given. */
  near(longitude: number, latitude: number): readonly NearbyArea<Area>[]
}

const NOTHING: readonly never[] = []

/**
 * @param areas with shapes as `checkShape` allows them.
 * @param withinM how far outside of an area a point may be to find it: where presence has hysteresis, that.
 */
export function areaIndexOf<Area extends { readonly shape: AreaShape }>(
  areas: readonly Area[],
  withinM: number,
): AreaIndex<Area> {
  const boxes: { area: Area; shape: MeasuredShape; order: number }[] = []
  const corners: number[] = []
  areas.forEach((area, order) => {
    const shape = measuredShape(area.shape)
    const { west, south, east, north } = widened(shape.bounds, withinM)
    boxes.push({ area, shape, order })
    corners.push(west, south, east, north)
    if (east <= 180) return
    boxes.push({ area, shape, order })
    corners.push(west - 360, south, east - 360, north)
  })
  if (boxes.length === 0) return { near: () => NOTHING }
  const tree = new Flatbush(boxes.length)
  for (let at = 0; at < corners.length; at += 4) {
    tree.add(corners[at] ?? 0, corners[at + 1] ?? 0, corners[at + 2], corners[at + 3])
  }
  tree.finish()
  /** Boxes in and about the place last searched, in the order of the areas: the next fixes of a car are mostly there, too. */
  let around: { readonly x: number; readonly latitude: number; readonly found: readonly number[] } | undefined
  const boxesAround = (x: number, latitude: number): readonly number[] => {
    if (around && Math.abs(x - around.x) < AROUND_DEGREES && Math.abs(latitude - around.latitude) < AROUND_DEGREES)
      return around.found
    const [west, south] = [x - AROUND_DEGREES, latitude - AROUND_DEGREES]
    const found = tree.search(west, south, x + AROUND_DEGREES, latitude + AROUND_DEGREES).sort((a, b) => a - b)
    around = { x, latitude, found }
    return found
  }
  return {
    near: (longitude, latitude) => {
      const x = turned(longitude)
      let nearby: NearbyArea<Area>[] | undefined
      let last = -1
      for (const index of boxesAround(x, latitude)) {
        const box = boxes[index]
        if (!box || box.order === last || !isInBox(corners, 4 * index, x, latitude)) continue
        last = box.order
        const signedDistanceM = box.shape.signedDistanceM(x, latitude)
        if (signedDistanceM > withinM) continue
        nearby ??= []
        nearby.push({ area: box.area, signedDistanceM })
      }
      return nearby ?? NOTHING
    },
  }
}

/** Some hundred metres: as far as a car comes between two fixes, and not so far that an area is always near. */
const AROUND_DEGREES = 0.004

function isInBox(corners: readonly number[], at: number, x: number, latitude: number): boolean {
  const [west = 0, south = 0, east = 0, north = 0] = [corners[at], corners[at + 1], corners[at + 2], corners[at + 3]]
  return x >= west && x <= east && latitude >= south && latitude <= north
}
