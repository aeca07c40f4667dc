import type { Position } from '../../../src/model/sample.ts'
import { diceOf } from '../chance.ts'
import { backwards, type Route, routeLengthM } from '../drive-plan.ts'
import { randomRoute } from '../random-recording.ts'

export type Range = readonly [least: number, most: number]

/** A place that a driver knows, and how far the road to it is from another one. */
interface PlaceRow {
  readonly from: string
  readonly km: Range
}

/** From home to the last of these places, each reached from the one before, and back the same way. */
export interface Outing {
  readonly places: readonly string[]
  /** Minutes at each stop: those on the way there, the farthest, those on the way back. */
  readonly staysMin: readonly Range[]
}

export interface Habit {
  /** Minute of the day, local standard time; beyond 1440 it is the night after. A driver who is still out leaves later. */
  readonly leavesMin: Range
  /** How likely; certain unless told otherwise. */
  readonly onWorkdays?: number
  readonly onWeekends?: number
  /** Days of the week, as Date counts them; all of them unless told otherwise. */
  readonly onlyOn?: readonly number[]
  readonly outings: readonly [Outing, ...Outing[]]
}

export interface Occupation {
  /** Minute of the local day at which one day ends and the next begins: the car has been home for hours. */
  readonly dayBreakMin: number
  /** The seed of the roads to its places, where all cars go to the same ones; else that of the car. */
  readonly roads?: number
  readonly places: Readonly<Record<string, PlaceRow>>
  readonly habits: readonly Habit[]
}

const outing = (places: readonly string[], ...staysMin: readonly Range[]): Outing => ({ places, staysMin })

const BEFORE_DAWN_MIN = 210
const AFTERNOON_MIN = 810

const SHOP: PlaceRow = { from: 'home', km: [1.2, 5] }
const shopping = (leavesMin: Range, onWorkdays: number, onWeekends: number): Habit => ({
  leavesMin,
  onWorkdays,
  onWeekends,
  outings: [outing(['shop'], [15, 50])],
})

const FARES = ['station', 'hospital', 'airfield', 'old town', 'suburb'] as const

const FARE_EVERY_MIN = 43
const fareTo = (place: string): Outing => outing([place], [6, 12])

/** One fare after the other, and back to the rank in between. */
const taxi = (dayBreakMin: number, firstMin: number, fares: number): Occupation => ({
  dayBreakMin,
  places: Object.fromEntries(FARES.map((fare, i) => [fare, { from: 'home', km: [2 + i, 5 + 2 * i] }])),
  habits: Array.from({ length: fares }, (_, i) => ({
    leavesMin: [firstMin + i * FARE_EVERY_MIN, firstMin + i * FARE_EVERY_MIN + 4],
    onWorkdays: 1,
    onWeekends: 0.97,
    outings: [fareTo('station'), ...FARES.slice(1).map(fareTo)],
  })),
})

/** A round of stops one after the other, on both sides of the road. */
export function round(name: string, stops: number, firstKm: Range, stayMin: Range) {
  const rowOf = (i: number): PlaceRow =>
    i === 1 ? { from: 'home', km: firstKm } : { from: `${name} ${i - 1}`, km: [0.9, 2.5] }
  const places = Object.fromEntries(Array.from({ length: stops }, (_, i) => [`${name} ${i + 1}`, rowOf(i + 1)]))
  return { places, outing: outing(Object.keys(places), ...Array.from({ length: 2 * stops - 1 }, () => stayMin)) }
}

const NORTH = round('north', 5, [4, 11], [8, 14])
const SOUTH = round('south', 4, [4, 11], [8, 14])

export const OCCUPATIONS = {
  commuter: {
    dayBreakMin: BEFORE_DAWN_MIN,
    places: {
      work: { from: 'home', km: [6, 28] },
      lunch: { from: 'work', km: [1, 3] },
      shop: SHOP,
      friends: { from: 'home', km: [4, 45] },
    },
    habits: [
      {
        leavesMin: [370, 500],
        onWorkdays: 0.93,
        onWeekends: 0,
        outings: [outing(['work'], [450, 540]), outing(['work', 'lunch'], [200, 240], [25, 45], [190, 250])],
      },
      shopping([1080, 1160], 0.35, 0),
      shopping([600, 700], 0, 0.7),
      {
        leavesMin: [830, 900],
        onWorkdays: 0,
        onWeekends: 0.5,
        outings: [outing(['friends'], [60, 200])],
      },
    ],
  },
  trades: {
    dayBreakMin: BEFORE_DAWN_MIN,
    places: {
      'first customer': { from: 'home', km: [4, 18] },
      'second customer': { from: 'first customer', km: [2, 8] },
      'third customer': { from: 'home', km: [5, 25] },
      'fourth customer': { from: 'home', km: [3, 15] },
      shop: SHOP,
    },
    habits: [
      {
        leavesMin: [400, 450],
        onWorkdays: 0.95,
        onWeekends: 0,
        outings: [
          outing(['first customer', 'second customer'], [40, 80], [60, 100], [10, 30]),
          outing(['third customer'], [60, 140]),
        ],
      },
      {
        leavesMin: [720, 780],
        onWorkdays: 0.9,
        onWeekends: 0.1,
        outings: [outing(['fourth customer'], [60, 150]), outing(['first customer'], [60, 150])],
      },
      shopping([960, 1000], 0.5, 0.4),
    ],
  },
  delivery: {
    dayBreakMin: BEFORE_DAWN_MIN,
    places: { ...NORTH.places, ...SOUTH.places },
    habits: [
      { leavesMin: [420, 460], onWorkdays: 1, onWeekends: 0.5, outings: [NORTH.outing] },
      { leavesMin: [780, 820], onWorkdays: 0.9, onWeekends: 0.1, outings: [SOUTH.outing] },
    ],
  },
  'taxi by day': taxi(BEFORE_DAWN_MIN, 255, 20),
  'taxi by night': taxi(AFTERNOON_MIN, 1020, 16),
  'night shift': {
    dayBreakMin: AFTERNOON_MIN,
    places: { hospital: { from: 'home', km: [5, 22] }, shop: SHOP },
    habits: [
      shopping([960, 1020], 0.4, 0.4),
      {
        leavesMin: [1230, 1290],
        onWorkdays: 0.7,
        onWeekends: 0.4,
        outings: [outing(['hospital'], [480, 520])],
      },
    ],
  },
} as const satisfies Readonly<Record<string, Occupation>>

export type OccupationName = keyof typeof OCCUPATIONS

interface Way {
  readonly from: Position
  readonly lengthM: number
  readonly seed: number
  readonly to: Position
  readonly thereM: number
  readonly backM: number
}

export type AddressBook = ReadonlyMap<string, Way>

/** A driver's own places: which roads lead to them follows from the seed. */
export function addressBookOf({ places, roads }: Occupation, home: Position, seed: number): AddressBook {
  const book = new Map<string, Way>()
  // A place comes after the one from which it is reached.
  for (const [i, [name, { from, km }]] of Object.entries(places).entries()) {
    const dice = diceOf(roads ?? seed, i, 101)
    const start = book.get(from)?.to ?? home
    const way = { from: start, lengthM: dice.between(...km) * 1000, seed: dice.whole(0, 2 ** 31) }
    const route = roadOf(way)
    const thereM = Math.floor(routeLengthM(route))
    const backM = Math.floor(routeLengthM(backwards(route)))
    book.set(name, { ...way, to: route.at(-1) ?? start, thereM, backM })
  }
  return book
}

/** The road itself, point by point: it is long, so it is made again when it is needed. */
export function roadOf({ from, lengthM, seed }: Pick<Way, 'from' | 'lengthM' | 'seed'>): Route {
  return randomRoute(from, lengthM, seed)
}

export interface Town {
  readonly name: string
  readonly centre: Position
  /** Of its standard time; drivers of the fleet have no daylight-saving time. */
  readonly utcOffsetMin: number
  readonly plate: string
  /** Homes are so near to the centre, in metres, along both axes. */
  readonly homesWithinM?: number
}

/** Inland towns, so that no random road leads into the sea. */
export const TOWNS = [
  { name: 'Karlsruhe', centre: { lat: 49.0094, lon: 8.4044 }, utcOffsetMin: 60, plate: 'KA-TA ###' },
  { name: 'Kassel', centre: { lat: 51.3127, lon: 9.4797 }, utcOffsetMin: 60, plate: 'KS-TA ###' },
  { name: 'Nürnberg', centre: { lat: 49.4521, lon: 11.0767 }, utcOffsetMin: 60, plate: 'N-TA ###' },
  { name: 'Graz', centre: { lat: 47.0707, lon: 15.4395 }, utcOffsetMin: 60, plate: 'G ### TA' },
  { name: 'Dijon', centre: { lat: 47.322, lon: 5.0415 }, utcOffsetMin: 60, plate: 'TA-###-CH' },
  { name: 'Ann Arbor', centre: { lat: 42.2808, lon: -83.743 }, utcOffsetMin: -300, plate: 'TAC #####' },
] as const satisfies readonly Town[]

export type TownName = (typeof TOWNS)[number]['name']
