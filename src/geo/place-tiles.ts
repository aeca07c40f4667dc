import { fromVectorTileJs, GeoJSONWrapper } from '@maplibre/vt-pbf'
import { ADDRESS_LANGUAGES } from '../derive/addresses/addresses.ts'
import type { Position } from '../model/sample.ts'
import { localityName, suburbName } from './names.ts'
import { loadedOnce, type Place, type PlaceBox, type PlaceFile, type PlacePoint, readPlaceFile } from './place-file.ts'

const LAYER = 'places'
const EXTENT = 4096

/** Deeper tiles would hold no place that these do not. */
export const DEEPEST_PLACE_ZOOM = 11
/** From here on sections of places are there, too. */
const SECTIONS_FROM_ZOOM = 10

/** So many cells a tile has in a row, and the places with most people of each are kept: none is empty beside a crowded one. */
const CELLS = 4
const PLACES_OF_CELL = 12

/** Tiles of these few zooms hold many places each and are asked for by everybody: they are made once. */
const KEPT_UP_TO_ZOOM = 5

/** A section may repeat the name of a place that lies so far away. */
const CITY_WITHIN_KM = 25
const CITIES_NEARBY = 12

/** Names of places as vector tiles (MVT 2): points of a layer `places` with `name`, `name:en` and `name:de` where they
 * differ, `population`, and `kind`: `place` or `suburb`. Tiles repeat the places of the tiles above them. */
export class PlaceTiles {
  readonly #places: PlaceFile
  readonly #kept = new Map<string, Uint8Array>()

  private constructor(places: PlaceFile) {
    this.#places = places
  }

  /** Takes 0.2 s the first time, in slices, and 15 MB. */
  static readonly load = loadedOnce(async () => new PlaceTiles(await readPlaceFile()))

  /** @returns an encoded tile, without bytes where no place is */
  tile(address: TileAddress): Uint8Array {
    const key = `${address.z}/${address.x}/${address.y}`
    const kept = this.#kept.get(key)
    if (kept) return kept
    const made = this.#make(address)
    if (address.z <= KEPT_UP_TO_ZOOM) this.#kept.set(key, made)
    return made
  }

  #make(address: TileAddress): Uint8Array {
    const cells = new Map<number, { readonly point: PlacePoint; readonly at: readonly [number, number] }[]>()
    for (const point of this.#places.inBox(boxOfTile(address))) {
      if (point.isSection && address.z < SECTIONS_FROM_ZOOM) continue
      const [east, south] = placeInTile(point.position, address)
      // A place on the edge is in one tile only, or its name would be written twice.
      if (east < 0 || east >= 1 || south < 0 || south >= 1) continue
      const cell = Math.floor(east * CELLS) + CELLS * Math.floor(south * CELLS)
      const places = cells.get(cell) ?? []
      places.push({ point, at: [east, south] })
      cells.set(cell, places)
    }
    const features = [...cells.values()].flatMap(places =>
      places
        .sort((one, other) => other.point.population - one.point.population || one.point.id - other.point.id)
        .slice(0, PLACES_OF_CELL)
        .map(({ point, at: [east, south] }) => ({
          type: 1 as const,
          geometry: [[Math.floor(east * EXTENT), Math.floor(south * EXTENT)] as [number, number]],
          tags: this.#tagsOf(point),
        })),
    )
    if (features.length === 0) return new Uint8Array()
    const layer = new GeoJSONWrapper(features, { version: 2, extent: EXTENT })
    layer.name = LAYER
    return fromVectorTileJs({ layers: { [LAYER]: layer } })
  }

  #tagsOf(point: PlacePoint): Record<string, string | number> {
    const place = this.#places.placeOf(point.id)
    const { population } = point
    if (place.isSection) return { name: this.#sectionName(place, point), kind: 'suburb', population }
    const names = ADDRESS_LANGUAGES.map(language => [`name:${language}`, localityName(place, language)] as const)
    const others = names.filter(([, name]) => name !== place.name)
    return { name: place.name, ...Object.fromEntries(others), kind: 'place', population }
  }

  #sectionName(section: Place, { position }: PlacePoint): string {
    const around = this.#places.nearest(position, CITIES_NEARBY, CITY_WITHIN_KM, {
      leastPopulation: section.population,
    })
    const city = around.find(({ place }) => !place.isSection && section.name.startsWith(`${place.name} `))
    return suburbName(section, city?.place ?? { name: '' })
  }
}

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

export function boxOfTile({ z, x, y }: TileAddress): PlaceBox {
  const tiles = 2 ** z
  const lonOf = (column: number) => (column / tiles) * 360 - 180
  const latOf = (row: number) => (Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / tiles))) * 180) / Math.PI
  return { west: lonOf(x), east: lonOf(x + 1), north: latOf(y), south: latOf(y + 1) }
}
