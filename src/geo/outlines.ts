import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Position } from '../model/sample.ts'

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
  readonly #lands: readonly Land[]
  /** With a country on both sides. */
  readonly #borders: readonly Piece[]
  /** With a country on one side only, by country. */
  readonly #coasts = new Map<string, Piece[]>()

  private constructor({ lines, parts }: OutlineFile) {
    const countries = lines.map(() => new Set<string>())
    for (const part of parts) for (const line of part.lines) countries[line]?.add(part.country)
    const isBorder = (line: number) => (countries[line]?.size ?? 0) > 1
    this.#borders = lines.filter((_, line) => isBorder(line)).flat()
    for (const { country, lines: own } of parts) {
      const coast = this.#coasts.get(country) ?? []
      coast.push(...own.filter(line => !isBorder(line)).flatMap(line => lines[line] ?? []))
      this.#coasts.set(country, coast)
    }
    this.#lands = parts
      .filter(({ country }) => country !== ANTARCTICA)
      .map(part => {
        const pieces = part.lines.flatMap(line => lines[line] ?? [])
        const box = boxAround(pieces)
        return { country: part.country, pieces, box, isAcross: box.east - box.west > 180 }
      })
  }

  /** Takes up to a second, in slices, and 11 MB. */
  static async load(): Promise<Outlines> {
    return new Outlines(await readOutlineFile())
  }

  /** @returns ISO 3166-1, two letters; undefined at sea, and on land that is nobody's. */
  countryAt(position: Position): string | undefined {
    for (const land of this.#lands)
      if ((land.isAcross || isAround(land.box, position)) && isInside(land, position)) return land.country || undefined
    let nearest: { readonly country: string | undefined; readonly km: number } = { country: undefined, km: COAST_KM }
    for (const [country, pieces] of this.#coasts) {
      const km = nearestKm(position, pieces, nearest.km)
      if (km < nearest.km) nearest = { country: country || undefined, km }
    }
    return nearest.country
  }

  /** How far the nearest border between two countries is; infinite beyond `withinKm`. */
  borderKm(position: Position, withinKm: number): number {
    return nearestKm(position, this.#borders, withinKm)
  }
}

/** An odd number of the lines of a land lies to the east. */
function isInside({ pieces, isAcross }: Land, { lat, lon }: Position): boolean {
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

/** How far the nearest of some pieces is, on a plane that touches the earth there; infinite beyond `withinKm`. */
function nearestKm(position: Position, pieces: readonly Piece[], withinKm: number): number {
  const kmOfLon = KM_A_DEGREE * Math.cos((position.lat * Math.PI) / 180)
  let nearest = Number.POSITIVE_INFINITY
  for (const piece of pieces) {
    if (!isAround(piece, position, withinKm / kmOfLon, withinKm / KM_A_DEGREE)) continue
    const { lons, lats } = piece
    for (let i = 0; i < lats.length - 1; i++) {
      const fromX = ((lons[i] ?? 0) - position.lon) * kmOfLon
      const fromY = ((lats[i] ?? 0) - position.lat) * KM_A_DEGREE
      const alongX = ((lons[i + 1] ?? 0) - position.lon) * kmOfLon - fromX
      const alongY = ((lats[i + 1] ?? 0) - position.lat) * KM_A_DEGREE - fromY
      const length = alongX ** 2 + alongY ** 2
      const share = length === 0 ? 0 : Math.min(1, Math.max(0, -(fromX * alongX + fromY * alongY) / length))
      nearest = Math.min(nearest, Math.hypot(fromX + share * alongX, fromY + share * alongY))
    }
  }
  return nearest <= withinKm ? nearest : Number.POSITIVE_INFINITY
}

/** A part of a line, with a box around it, in degrees. */
interface Piece extends Box {
  readonly lons: Float64Array
  readonly lats: Float64Array
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
    const lons = new Float64Array(part.map(([lon]) => lon))
    const lats = new Float64Array(part.map(([, lat]) => lat))
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

/** The position is in the box, or no farther from it than the margins in degrees. */
function isAround({ west, east, south, north }: Box, { lat, lon }: Position, marginLon = 0, marginLat = 0): boolean {
  return lon >= west - marginLon && lon <= east + marginLon && lat >= south - marginLat && lat <= north + marginLat
}

interface OutlineFile {
  /** The pieces of each line; a line between two countries is there once. */
  readonly lines: readonly (readonly Piece[])[]
  readonly parts: readonly LandLines[]
}

interface LandLines {
  /** ISO 3166-1, two letters; '' where nobody's. */
  readonly country: string
  readonly lines: readonly number[]
}

type Arc = readonly (readonly [dx: number, dy: number])[]
type Rings = readonly (readonly number[])[]
type Geometry = { readonly id?: string; readonly properties: { readonly name: string } } & (
  | { readonly type: 'Polygon'; readonly arcs: Rings }
  | { readonly type: 'MultiPolygon'; readonly arcs: readonly Rings[] }
)

/** Degrees of a step, and where the grid begins. */
interface Grid {
  readonly scale: readonly [lon: number, lat: number]
  readonly translate: readonly [lon: number, lat: number]
}

const BEFORE_ARCS = '}},"arcs":[[['
const AFTER_ARCS = ']]],"bbox":'
/** Then others have their turn. */
const LINES_AT_ONCE = 200

/** Reads the outlines of the package world-atlas (Natural Earth 1:10m, public domain) in TopoJSON: objects, then the
 * lines that these number, then the grid. Parsed at once, half a million points would take 77 MB. */
async function readOutlineFile(): Promise<OutlineFile> {
  const text = await readFile(createRequire(import.meta.url).resolve('world-atlas/countries-10m.json'), 'utf8')
  const [start, end] = [text.lastIndexOf(BEFORE_ARCS), text.lastIndexOf(AFTER_ARCS)]
  if (start === -1 || end === -1) throw new Error('countries-10m.json of world-atlas has another form than it had')
  const { objects } = JSON.parse(`${text.slice(0, start)}}}}`) as {
    readonly objects: { readonly countries: { readonly geometries: readonly Geometry[] } }
  }
  const { transform } = JSON.parse(`{${text.slice(end + AFTER_ARCS.indexOf('"'))}`) as { readonly transform: Grid }
  const arcs = text.slice(start + BEFORE_ARCS.length, end).split(']],[[')
  const lines: Piece[][] = []
  for (const arc of arcs) {
    lines.push(piecesOf(JSON.parse(`[[${arc}]]`) as Arc, transform))
    if (lines.length % LINES_AT_ONCE === 0) await nextTurn()
  }
  return { lines, parts: objects.countries.geometries.flatMap(partsOf) }
}

function partsOf(geometry: Geometry): LandLines[] {
  const country = codeOfOutline(geometry.id, geometry.properties.name)
  const parts = geometry.type === 'Polygon' ? [geometry.arcs] : geometry.arcs
  // A negative number is that line backwards: ~0 is -1.
  return parts.map(rings => ({ country, lines: rings.flat().map(line => (line < 0 ? ~line : line)) }))
}

/** ISO 3166-1: the codes of two letters by number, which the outlines have. */
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

/** Outlines without a number, as GeoNames counts the places in them. Others have none themselves. */
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

/** Parts of countries that have codes with GeoNames, but no outlines. */
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
