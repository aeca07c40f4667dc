import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Position } from '../model/sample.ts'

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

/** A stretch of a line, with a box around it in steps of the grid. */
interface Piece extends Box {
  /** Its points are those from `start` to `end`, both included. */
  readonly start: number
  readonly end: number
}

interface Box {
  readonly west: number
  readonly east: number
  readonly south: number
  readonly north: number
}

/** Lines along oceans have tens of thousands of points; of pieces nearly all can be left out by their boxes. */
const SEGMENTS_OF_PIECE = 64

/** The pieces of each line. */
function piecesOfLines({ xs, ys, starts }: Lines): Piece[][] {
  return Array.from({ length: starts.length - 1 }, (_, line) => {
    const last = (starts[line + 1] ?? 0) - 1
    const pieces: Piece[] = []
    for (let start = starts[line] ?? 0; start < last; start += SEGMENTS_OF_PIECE) {
      const end = Math.min(start + SEGMENTS_OF_PIECE, last)
      pieces.push({ start, end, ...boxOfPoints(xs, ys, start, end) })
    }
    return pieces
  })
}

function boxOfPoints(xs: Int32Array, ys: Int32Array, start: number, end: number): Box {
  let west = Number.POSITIVE_INFINITY
  let east = Number.NEGATIVE_INFINITY
  let south = west
  let north = east
  for (let i = start; i <= end; i++) {
    const x = xs[i] ?? 0
    const y = ys[i] ?? 0
    if (x < west) west = x
    if (x > east) east = x
    if (y < south) south = y
    if (y > north) north = y
  }
  return { west, east, south, north }
}

/** A box around several. */
function boxAround(boxes: readonly Box[]): Box {
  return boxes.reduce((a, b) => ({
    west: Math.min(a.west, b.west),
    east: Math.max(a.east, b.east),
    south: Math.min(a.south, b.south),
    north: Math.max(a.north, b.north),
  }))
}

/** Whether a point is in the box, or no farther from it than the margins. */
function isAround({ west, east, south, north }: Box, x: number, y: number, marginX = 0, marginY = 0): boolean {
  return x >= west - marginX && x <= east + marginX && y >= south - marginY && y <= north + marginY
}

/** A piece of land, with its lines by their numbers. */
interface OutlinePart {
  /** ISO 3166-1, two letters; '' where nobody's. */
  readonly country: string
  readonly lines: readonly number[]
}

/** What a step of the grid is in degrees, and where it begins. */
interface Grid {
  readonly scale: readonly [lon: number, lat: number]
  readonly translate: readonly [lon: number, lat: number]
}

interface OutlineFile {
  /** A line between two countries is there once. */
  readonly lines: Lines
  readonly parts: readonly OutlinePart[]
  readonly grid: Grid
}

type Part = readonly (readonly number[])[]
type Geometry = { readonly id?: string; readonly properties: { readonly name: string } } & (
  | { readonly type: 'Polygon'; readonly arcs: Part }
  | { readonly type: 'MultiPolygon'; readonly arcs: readonly Part[] }
)

const BEFORE_LINES = '}},"arcs":'
const AFTER_LINES = '],"bbox":'

/**
 * Reads the outlines of countries of the package world-atlas (Natural Earth 1:10m, public domain), which are in TopoJSON:
 * objects, then the lines that these name by their numbers, then the grid. To parse all of it at once takes 0.1 s and 77
 * MB, nearly all for half a million points as arrays; so the lines are read apart, in turns of some milliseconds.
 */
export async function readOutlineFile(): Promise<OutlineFile> {
  const bytes = await readFile(createRequire(import.meta.url).resolve('world-atlas/countries-10m.json'))
  const linesAt = bytes.lastIndexOf(`${BEFORE_LINES}[[[`)
  const linesEnd = bytes.lastIndexOf(AFTER_LINES)
  if (linesAt === -1 || linesEnd === -1)
    throw new Error('countries-10m.json of world-atlas has another form than it had')
  const { objects } = JSON.parse(`${bytes.toString('utf8', 0, linesAt + 2)}}`) as {
    readonly objects: { readonly countries: { readonly geometries: readonly Geometry[] } }
  }
  const { transform } = JSON.parse(`{${bytes.toString('utf8', linesEnd + 2)}`) as { readonly transform: Grid }
  return {
    lines: await readLines(bytes.subarray(linesAt + BEFORE_LINES.length, linesEnd + 1)),
    parts: objects.countries.geometries.flatMap(partsOf),
    grid: transform,
  }
}

function partsOf(geometry: Geometry): OutlinePart[] {
  const country = codeOfOutline(geometry.id, geometry.properties.name)
  const parts = geometry.type === 'Polygon' ? [geometry.arcs] : geometry.arcs
  // A negative number is that line backwards: ~0 is -1.
  return parts.map(rings => ({ country, lines: rings.flat().map(line => (line < 0 ? ~line : line)) }))
}

/** ISO 3166-1: the codes of two letters by their numbers, which the outlines have. */
const BY_NUMBER = new Map(
  `
  004:AF 008:AL 010:AQ 012:DZ 016:AS 020:AD 024:AO 028:AG 031:AZ 032:AR 036:AU 040:AT 044:BS 048:BH 050:BD 051:AM
  052:BB 056:BE 060:BM 064:BT 068:BO 070:BA 072:BW 076:BR 084:BZ 086:IO 090:SB 092:VG 096:BN 100:BG 104:MM 108:BI
  112:BY 116:KH 120:CM 124:CA 132:CV 136:KY 140:CF 144:LK 148:TD 152:CL 156:CN 158:TW 170:CO 174:KM 178:CG 180:CD
  184:CK 188:CR 191:HR 192:CU 196:CY 203:CZ 204:BJ 208:DK 212:DM 214:DO 218:EC 222:SV 226:GQ 231:ET 232:ER 233:EE
  234:FO 238:FK 239:GS 242:FJ 246:FI 248:AX 250:FR 258:PF 260:TF 262:DJ 266:GA 268:GE 270:GM 275:PS 276:DE 288:GH
  292:GI 296:KI 300:GR 304:GL 308:GD 316:GU 320:GT 324:GN 328:GY 332:HT 334:HM 336:VA 340:HN 344:HK 348:HU 352:IS
  356:IN 360:ID 364:IR 368:IQ 372:IE 376:IL 380:IT 384:CI 388:JM 392:JP 398:KZ 400:JO 404:KE 408:KP 410:KR 414:KW
  417:KG 418:LA 422:LB 426:LS 428:LV 430:LR 434:LY 438:LI 440:LT 442:LU 446:MO 450:MG 454:MW 458:MY 462:MV 466:ML
  470:MT 478:MR 480:MU 484:MX 492:MC 496:MN 498:MD 499:ME 500:MS 504:MA 508:MZ 512:OM 516:NA 520:NR 524:NP 528:NL
  531:CW 533:AW 534:SX 540:NC 548:VU 554:NZ 558:NI 562:NE 566:NG 570:NU 574:NF 578:NO 580:MP 581:UM 583:FM 584:MH
  585:PW 586:PK 591:PA 598:PG 600:PY 604:PE 608:PH 612:PN 616:PL 620:PT 624:GW 626:TL 630:PR 634:QA 642:RO 643:RU
  646:RW 652:BL 654:SH 659:KN 660:AI 662:LC 663:MF 666:PM 670:VC 674:SM 678:ST 682:SA 686:SN 688:RS 690:SC 694:SL
  702:SG 703:SK 704:VN 705:SI 706:SO 710:ZA 716:ZW 724:ES 728:SS 729:SD 732:EH 740:SR 748:SZ 752:SE 756:CH 760:SY
  762:TJ 764:TH 768:TG 776:TO 780:TT 784:AE 788:TN 792:TR 795:TM 796:TC 798:TV 800:UG 804:UA 807:MK 818:EG 826:GB
  831:GG 832:JE 833:IM 834:TZ 840:US 850:VI 854:BF 858:UY 860:UZ 862:VE 876:WF 882:WS 887:YE 894:ZM
`
    .trim()
    .split(/\s+/)
    .map(pair => [pair.slice(0, 3), pair.slice(4)] as const),
)

/** Outlines without a number, as GeoNames counts the places in them. Others have none of their own. */
const BY_NAME: ReadonlyMap<string, string> = new Map([
  ['Akrotiri', 'CY'],
  ['Baikonur', 'KZ'],
  ['Cyprus U.N. Buffer Zone', 'CY'],
  ['Dhekelia', 'CY'],
  ['Kosovo', 'XK'],
  ['N. Cyprus', 'CY'],
  ['Somaliland', 'SO'],
  ['USNB Guantanamo Bay', 'CU'],
])

/** Parts of countries that have codes of their own with GeoNames, but no outlines. */
const OUTLINED_WITH: ReadonlyMap<string, string> = new Map([
  ['BQ', 'NL'],
  ['CC', 'AU'],
  ['CX', 'AU'],
  ['GF', 'FR'],
  ['GP', 'FR'],
  ['MQ', 'FR'],
  ['RE', 'FR'],
  ['SJ', 'NO'],
  ['YT', 'FR'],
])

/** @returns the code of an outline, '' when it belongs to no country that has one. */
function codeOfOutline(id: string | undefined, name: string): string {
  return (id === undefined ? BY_NAME.get(name) : BY_NUMBER.get(id)) ?? ''
}

/** @returns the code of the outline in which places of that country are. */
export function outlineOf(country: string): string {
  return OUTLINED_WITH.get(country) ?? country
}

/** Lines with their points in columns, in steps of a grid. */
interface Lines {
  readonly xs: Int32Array
  readonly ys: Int32Array
  /** Where each line begins, and at last where the last one ends. */
  readonly starts: Uint32Array
}

/** More than there are. */
const MOST_POINTS = 600_000
const MOST_LINES = 10_000
/** So many are read in a few milliseconds; in between others get their turn. */
const BYTES_A_TURN = 400_000

const OPEN = 0x5b
const CLOSE = 0x5d
const COMMA = 0x2c
const MINUS = 0x2d
const ZERO = 0x30
/** How many brackets are open within a point. */
const IN_POINT = 3
const IN_LINE = 2

/**
 * Reads the lines of a TopoJSON file: `[[[x,y],[dx,dy],…],…]`, whole numbers without blanks, each point in steps from the
 * one before it.
 */
export async function readLines(bytes: Uint8Array): Promise<Lines> {
  const xs = new Int32Array(MOST_POINTS)
  const ys = new Int32Array(MOST_POINTS)
  const starts = new Uint32Array(MOST_LINES)
  let [points, lines, depth, x, y, digits, sign] = [0, 0, 0, 0, 0, 0, 1]
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    if (byte >= ZERO) {
      if (byte === OPEN) {
        depth++
        if (depth === IN_LINE) [x, y] = [0, 0]
      } else if (byte === CLOSE) {
        if (depth === IN_POINT) {
          y += sign * digits
          xs[points] = x
          ys[points++] = y
          ;[digits, sign] = [0, 1]
        } else if (depth === IN_LINE) starts[++lines] = points
        depth--
      } else digits = digits * 10 + byte - ZERO
    } else if (byte === MINUS) sign = -1
    else if (byte === COMMA && depth === IN_POINT) {
      x += sign * digits
      ;[digits, sign] = [0, 1]
    }
    if (i % BYTES_A_TURN === 0) await nextTurn()
  }
  return { xs: xs.slice(0, points), ys: ys.slice(0, points), starts: starts.slice(0, lines + 1) }
}
