import { readFile } from 'node:fs/promises'
import type * as CountryCoder from '@rapideditor/country-coder'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import { grouped } from '../model/grouped.ts'
import type { Position } from '../model/sample.ts'

/** A country (ISO 3166-1, two letters: `DE`), or its first-order division by GeoNames' code (`DE.05`). */
export type Region = string

interface Polygon {
  readonly region: Region
  readonly south: number
  readonly north: number
  /** Longitude and latitude of each corner, in degrees. */
  readonly rings: readonly Float32Array[]
}

/** A code that is only reserved. */
const CEUTA_AND_MELILLA = 'EA'

/** In which country and state a position is (docs/adr/0018). */
export class Outlines {
  readonly #countries: typeof CountryCoder
  /** By country. */
  readonly #states: ReadonlyMap<Region, readonly Polygon[]>

  private constructor(countries: typeof CountryCoder, states: ReadonlyMap<Region, readonly Polygon[]>) {
    this.#countries = countries
    this.#states = states
  }

  /** Takes 0.1 s, and 12 MB. */
  static async load(): Promise<Outlines> {
    return new Outlines(await import('@rapideditor/country-coder'), await readStates())
  }

  /** @returns undefined at sea, and on land that is nobody's. */
  countryAt({ lat, lon }: Position): Region | undefined {
    const code = this.#countries.iso1A2Code([lon, lat], { level: 'territory' }) ?? undefined
    return code === CEUTA_AND_MELILLA ? 'ES' : code
  }

  /** @returns undefined also near coasts and borders of countries, where outlines of states are coarse. */
  stateAt(position: Position, country: Region): Region | undefined {
    const isAround = (state: Polygon) => state.south <= position.lat && position.lat <= state.north
    return this.#states.get(country)?.find(state => isAround(state) && isInside(state.rings, position))?.region
  }
}

/** An odd number of the edges lies to the east. */
function isInside(rings: readonly Float32Array[], { lat, lon }: Position): boolean {
  let isOdd = false
  for (const ring of rings) {
    for (let at = 0; at < ring.length - 2; at += 2) {
      const [lon1 = 0, lat1 = 0, lon2 = 0, lat2 = 0] = [ring[at], ring[at + 1], ring[at + 2], ring[at + 3]]
      if (lat1 > lat !== lat2 > lat && lon < lon1 + ((lat - lat1) / (lat2 - lat1)) * (lon2 - lon1)) isOdd = !isOdd
    }
  }
  return isOdd
}

/** Reads the outlines of states that scripts/state-outlines.ts has made of Natural Earth's and the US Census Bureau's (both
 * public domain). */
async function readStates(): Promise<ReadonlyMap<Region, readonly Polygon[]>> {
  const text = await readFile(new URL('./state-outlines.topojson', import.meta.url), 'utf8')
  const outlines = JSON.parse(text) as Topology<{ states: GeometryCollection }>
  const { features } = feature(outlines, outlines.objects.states)
  const polygons = features.flatMap(({ id, geometry }) => {
    const parts = geometry.type === 'Polygon' ? [geometry.coordinates] : []
    const all = geometry.type === 'MultiPolygon' ? geometry.coordinates : parts
    return all.map(rings => {
      const lats = rings.flat().map(([, lat = 0]) => lat)
      const south = lats.reduce((least, lat) => Math.min(least, lat), 90)
      const north = lats.reduce((most, lat) => Math.max(most, lat), -90)
      return { region: String(id), south, north, rings: rings.map(ring => new Float32Array(ring.flat())) }
    })
  })
  return grouped(polygons, ({ region }) => region.slice(0, 2))
}
