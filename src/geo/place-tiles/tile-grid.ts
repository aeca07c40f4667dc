import type { Position } from '../../model/sample.ts'
import type { PlaceBox } from '../gazetteer/place-file.ts'

/** A tile of the web's usual grid: Mercator's projection as a square, halved `z` times; `x` grows to the east, `y` to the south. */
export interface TileAddress {
  readonly z: number
  readonly x: number
  readonly y: number
}

/** How far from the tile's west and north edge a position lies; from 0 to 1 within the tile. */
export function placeInTile({ lon, lat }: Position, { z, x, y }: TileAddress): readonly [east: number, south: number] {
  const tiles = 2 ** z
  const sine = Math.sin((lat * Math.PI) / 180)
  const north = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)
  return [((lon + 180) / 360) * tiles - x, north * tiles - y]
}

/** What a tile covers. */
export function boxOfTile({ z, x, y }: TileAddress): PlaceBox {
  const tiles = 2 ** z
  const lonOf = (column: number) => (column / tiles) * 360 - 180
  const latOf = (row: number) => (Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / tiles))) * 180) / Math.PI
  return { west: lonOf(x), east: lonOf(x + 1), north: latOf(y), south: latOf(y + 1) }
}
