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
  const cells = new Cells((west, south, east, north) => tree.search(west, south, east, north).sort((a, b) => a - b))
  return {
    near: (longitude, latitude) => {
      const x = turned(longitude)
      let nearby: NearbyArea<Area>[] | undefined
      let last = -1
      for (const index of cells.at(x, latitude)) {
        if (!isInBox(corners, 4 * index, x, latitude)) continue
        const box = boxes[index]
        if (!box || box.order === last) continue
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

/** Some hundred metres: a car comes through one in a few fixes, and few areas are in it. */
const CELL_DEGREES = 0.008
/** Some hundred kilometres of roads. */
const MOST_CELLS = 1000
/** For what the arithmetic of a cell's bounds rounds. */
const MARGIN_DEGREES = 1e-6
/** More than all rows of cells from pole to pole. */
const ROWS = 2 ** 16

/**
 * The numbers of the boxes in squares of the map. They are looked up once for many fixes: the next ones of a car are mostly in the same
 * square, and those of other cars come there, too.
 */
class Cells {
  readonly #search: (west: number, south: number, east: number, north: number) => readonly number[]
  readonly #known = new Map<number, readonly number[]>()
  #column = Number.NaN
  #row = Number.NaN
  #last: readonly number[] = NOTHING

  constructor(search: (west: number, south: number, east: number, north: number) => readonly number[]) {
    this.#search = search
  }

  /** Those that may hold a point. */
  at(x: number, latitude: number): readonly number[] {
    const column = Math.floor(x / CELL_DEGREES)
    const row = Math.floor(latitude / CELL_DEGREES)
    if (column === this.#column && row === this.#row) return this.#last
    this.#column = column
    this.#row = row
    return (this.#last = this.#find(column, row))
  }

  #find(column: number, row: number): readonly number[] {
    const key = column * ROWS + row
    const known = this.#known.get(key)
    if (known) return known
    const [west, south] = [column * CELL_DEGREES - MARGIN_DEGREES, row * CELL_DEGREES - MARGIN_DEGREES]
    const size = CELL_DEGREES + 2 * MARGIN_DEGREES
    const found = this.#search(west, south, west + size, south + size)
    if (this.#known.size >= MOST_CELLS) this.#known.clear()
    this.#known.set(key, found)
    return found
  }
}

function isInBox(corners: readonly number[], at: number, x: number, latitude: number): boolean {
  return (
    x >= (corners[at] ?? 0) &&
    latitude >= (corners[at + 1] ?? 0) &&
    x <= (corners[at + 2] ?? 0) &&
    latitude <= (corners[at + 3] ?? 0)
  )
}
