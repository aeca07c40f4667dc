import type { Position } from '../../model/sample.ts'
import { type Grid, type OutlineFile, readOutlineFile } from './outline-file.ts'
import { type Box, boxAround, isAround, type Piece, piecesOfLines } from './pieces.ts'
import type { Lines } from './read-lines.ts'

/** A piece of land with what is around it. */
interface Land {
  readonly country: string
  readonly pieces: readonly Piece[]
  readonly box: Box
  /** It goes across the 180th meridian: what is east of that is counted on. */
  readonly isAcross: boolean
}

/** Outlines are coarse, and harbours lie in the water: so near to a coast is on land. */
const COAST_KM = 2
const KM_A_DEGREE = 111.2
/** Around the pole: no ring, and nobody's. */
const ANTARCTICA = 'AQ'

/** In which country a position is, and how far from the next one (docs/adr/0018). */
export class Outlines {
  readonly #points: Lines
  readonly #grid: Grid
  /** Once around the earth, in steps of the grid. */
  readonly #turn: number
  readonly #lands: readonly Land[]
  /** With a country on both sides. */
  readonly #borders: readonly Piece[]
  /** With a country on one side only, by country. */
  readonly #coasts: ReadonlyMap<string, readonly Piece[]>

  constructor({ lines, parts, grid }: OutlineFile) {
    this.#points = lines
    this.#grid = grid
    this.#turn = Math.round(360 / grid.scale[0])
    const pieces = piecesOfLines(lines)
    const countries = new Map<number, Set<string>>()
    for (const part of parts)
      for (const line of part.lines) countries.set(line, (countries.get(line) ?? new Set()).add(part.country))
    const isBorder = (line: number) => (countries.get(line)?.size ?? 0) > 1
    this.#borders = [...countries.keys()].filter(isBorder).flatMap(line => pieces[line] ?? [])
    const coasts = new Map<string, Piece[]>()
    for (const { country, lines: own } of parts) {
      const coast = coasts.get(country) ?? []
      for (const line of own) if (!isBorder(line)) coast.push(...(pieces[line] ?? []))
      coasts.set(country, coast)
    }
    this.#coasts = coasts
    this.#lands = parts
      .filter(({ country }) => country !== ANTARCTICA)
      .map(part => {
        const own = part.lines.flatMap(line => pieces[line] ?? [])
        const box = boxAround(own)
        return { country: part.country, pieces: own, box, isAcross: box.east - box.west > this.#turn / 2 }
      })
  }

  /** Takes 0.1 s of processor time, in turns of less than 30 ms, and 11 MB. */
  static async load(): Promise<Outlines> {
    return new Outlines(await readOutlineFile())
  }

  /** @returns ISO 3166-1, two letters; undefined at sea, and on land that is nobody's. */
  countryAt(position: Position): string | undefined {
    const [x, y] = this.#onGrid(position)
    for (const land of this.#lands)
      if ((land.isAcross || isAround(land.box, x, y)) && this.#isInside(land, x, y)) return land.country || undefined
    let nearest: { readonly country: string | undefined; readonly km: number } = { country: undefined, km: COAST_KM }
    for (const [country, pieces] of this.#coasts) {
      const km = this.#nearestKm(position, pieces, nearest.km)
      if (km < nearest.km) nearest = { country: country || undefined, km }
    }
    return nearest.country
  }

  /** How far the nearest border between two countries is; infinite beyond `withinKm`. */
  borderKm(position: Position, withinKm: number): number {
    return this.#nearestKm(position, this.#borders, withinKm)
  }

  #onGrid({ lon, lat }: Position): readonly [x: number, y: number] {
    const { scale, translate } = this.#grid
    return [(lon - translate[0]) / scale[0], (lat - translate[1]) / scale[1]]
  }

  /** Whether an odd number of its lines lies to the east. */
  #isInside({ pieces, isAcross }: Land, x: number, y: number): boolean {
    const { xs, ys } = this.#points
    const turn = this.#turn
    const counted = (value: number) => (isAcross && value < turn / 2 ? value + turn : value)
    const fromX = counted(x)
    let isInside = false
    for (const { start, end, south, north, east } of pieces) {
      if (y < south || y > north || (!isAcross && x > east)) continue
      for (let i = start; i < end; i++) {
        const y1 = ys[i] ?? 0
        const y2 = ys[i + 1] ?? 0
        if (y1 > y === y2 > y) continue
        const x1 = counted(xs[i] ?? 0)
        const x2 = counted(xs[i + 1] ?? 0)
        if (fromX < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) isInside = !isInside
      }
    }
    return isInside
  }

  /** How far the nearest of some pieces is, on a plane that touches the earth there; infinite beyond `withinKm`. */
  #nearestKm(position: Position, pieces: readonly Piece[], withinKm: number): number {
    const { xs, ys } = this.#points
    const [x, y] = this.#onGrid(position)
    const kmY = this.#grid.scale[1] * KM_A_DEGREE
    const kmX = this.#grid.scale[0] * KM_A_DEGREE * Math.cos((position.lat * Math.PI) / 180)
    let nearestKm = Number.POSITIVE_INFINITY
    for (const piece of pieces) {
      if (!isAround(piece, x, y, withinKm / kmX, withinKm / kmY)) continue
      for (let i = piece.start; i < piece.end; i++) {
        const fromX = ((xs[i] ?? 0) - x) * kmX
        const fromY = ((ys[i] ?? 0) - y) * kmY
        const alongX = ((xs[i + 1] ?? 0) - x) * kmX - fromX
        const alongY = ((ys[i + 1] ?? 0) - y) * kmY - fromY
        const length = alongX ** 2 + alongY ** 2
        const share = length === 0 ? 0 : Math.min(1, Math.max(0, -(fromX * alongX + fromY * alongY) / length))
        nearestKm = Math.min(nearestKm, Math.hypot(fromX + share * alongX, fromY + share * alongY))
      }
    }
    return nearestKm <= withinKm ? nearestKm : Number.POSITIVE_INFINITY
  }
}
