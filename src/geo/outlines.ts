import { readFile } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type * as CountryCoder from '@rapideditor/country-coder'
import type { Position } from '../model/sample.ts'

/** A country (ISO 3166-1, two letters: `DE`), or its first-order division by GeoNames' code (`DE.05`). */
export type Region = string

interface State {
  readonly region: Region
  readonly pieces: readonly Piece[]
  readonly box: Box
  /** It goes across the 180th meridian: what is east of that is counted on. */
  readonly isAcross: boolean
}

/** A code that is only reserved. */
const CEUTA_AND_MELILLA = 'EA'

/** In which country and state a position is (docs/adr/0018). */
export class Outlines {
  readonly #countries: typeof CountryCoder
  /** By country. */
  readonly #states = new Map<Region, State[]>()

  private constructor(countries: typeof CountryCoder, { lines, parts }: OutlineFile) {
    this.#countries = countries
    for (const part of parts) {
      const pieces = part.lines.flatMap(line => lines[line] ?? [])
      const box = boxAround(pieces)
      const country = part.region.slice(0, 2)
      const states = this.#states.get(country) ?? []
      states.push({ region: part.region, pieces, box, isAcross: box.east - box.west > 180 })
      this.#states.set(country, states)
    }
  }

  /** Takes 0.1 s, in slices, and 9 MB. */
  static async load(): Promise<Outlines> {
    return new Outlines(await import('@rapideditor/country-coder'), await readOutlineFile())
  }

  /** @returns undefined at sea, and on land that is nobody's. */
  countryAt({ lat, lon }: Position): Region | undefined {
    const code = this.#countries.iso1A2Code([lon, lat], { level: 'territory' }) ?? undefined
    return code === CEUTA_AND_MELILLA ? 'ES' : code
  }

  /** @returns undefined also near coasts and borders of countries, where outlines of states are coarse. */
  stateAt(position: Position, country: Region): Region | undefined {
    const states = this.#states.get(country) ?? []
    return states.find(state => (state.isAcross || isAround(state.box, position)) && isInside(state, position))?.region
  }
}

/** An odd number of the lines of a state lies to the east. */
function isInside({ pieces, isAcross }: State, { lat, lon }: Position): boolean {
  const counted = (value: number) => (isAcross && value < 0 ? value + 360 : value)
  const fromLon = counted(lon)
  let isOdd = false
  for (const { lons, lats, south, north, east } of pieces) {
    if (lat < south || lat > north || (!isAcross && lon > east)) continue
    for (let i = 0; i < lats.length - 1; i++) {
      const lat1 = lats[i] ?? 0
      const lat2 = lats[i + 1] ?? 0
      if (lat1 > lat === lat2 > lat) continue
      const lon1 = counted(lons[i] ?? 0)
      const lon2 = counted(lons[i + 1] ?? 0)
      if (fromLon < lon1 + ((lat - lat1) / (lat2 - lat1)) * (lon2 - lon1)) isOdd = !isOdd
    }
  }
  return isOdd
}

/** A part of a line, with a box around it, in degrees. */
interface Piece extends Box {
  readonly lons: Float32Array
  readonly lats: Float32Array
}

interface Box {
  readonly west: number
  readonly east: number
  readonly south: number
  readonly north: number
}

/** Lines along oceans have tens of thousands of points; of pieces nearly all can be left out by the boxes. */
const SEGMENTS_OF_PIECE = 64

/** @param arc each point in steps from the one before it */
function piecesOf(arc: Arc, { scale, translate }: Grid): Piece[] {
  let [x, y] = [0, 0]
  const points = arc.map(([dx, dy]) => {
    x += dx
    y += dy
    return [x * scale[0] + translate[0], y * scale[1] + translate[1]] as const
  })
  const pieces: Piece[] = []
  for (let start = 0; start < points.length - 1; start += SEGMENTS_OF_PIECE) {
    const part = points.slice(start, start + SEGMENTS_OF_PIECE + 1)
    const lons = new Float32Array(part.map(([lon]) => lon))
    const lats = new Float32Array(part.map(([, lat]) => lat))
    const box = { west: Math.min(...lons), east: Math.max(...lons), south: Math.min(...lats), north: Math.max(...lats) }
    pieces.push({ lons, lats, ...box })
  }
  return pieces
}

function boxAround(boxes: readonly Box[]): Box {
  return boxes.reduce((a, b) => ({
    west: Math.min(a.west, b.west),
    east: Math.max(a.east, b.east),
    south: Math.min(a.south, b.south),
    north: Math.max(a.north, b.north),
  }))
}

function isAround({ west, east, south, north }: Box, { lat, lon }: Position): boolean {
  return lon >= west && lon <= east && lat >= south && lat <= north
}

interface OutlineFile {
  /** The pieces of each line; a line between two states is there once. */
  readonly lines: readonly (readonly Piece[])[]
  readonly parts: readonly { readonly region: Region; readonly lines: readonly number[] }[]
}

type Arc = readonly (readonly [dx: number, dy: number])[]
type Rings = readonly (readonly number[])[]
type Geometry = { readonly id: Region } & (
  | { readonly type: 'Polygon'; readonly arcs: Rings }
  | { readonly type: 'MultiPolygon'; readonly arcs: readonly Rings[] }
)

/** Degrees of a step, and where the grid begins. */
interface Grid {
  readonly scale: readonly [lon: number, lat: number]
  readonly translate: readonly [lon: number, lat: number]
}

/** Then others have their turn. */
const LINES_AT_ONCE = 1000

/** Reads the outlines of states that scripts/state-outlines.ts has made of Natural Earth's and the US Census Bureau's (both
 * public domain), in TopoJSON: objects number the lines that they consist of. */
async function readOutlineFile(): Promise<OutlineFile> {
  const { objects, arcs, transform } = JSON.parse(
    await readFile(new URL('./state-outlines.topojson', import.meta.url), 'utf8'),
  ) as {
    readonly objects: { readonly states: { readonly geometries: readonly Geometry[] } }
    readonly arcs: readonly Arc[]
    readonly transform: Grid
  }
  const lines: Piece[][] = []
  for (const arc of arcs) {
    lines.push(piecesOf(arc, transform))
    if (lines.length % LINES_AT_ONCE === 0) await nextTurn()
  }
  return { lines, parts: objects.states.geometries.flatMap(partsOf) }
}

function partsOf(geometry: Geometry): OutlineFile['parts'] {
  const parts = geometry.type === 'Polygon' ? [geometry.arcs] : geometry.arcs
  // A negative number is that line backwards: ~0 is -1.
  return parts.map(rings => ({ region: geometry.id, lines: rings.flat().map(line => (line < 0 ? ~line : line)) }))
}
