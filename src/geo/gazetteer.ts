import {
  ADDRESS_LANGUAGES,
  type AddressLanguage,
  type AddressParts,
  type AddressTexts,
} from '../derive/addresses/addresses.ts'
import type { Position } from '../model/sample.ts'
import { countryName, localityName, readStateNames, type StateNameOf, suburbName } from './names.ts'
import { Outlines, type Region } from './outlines.ts'
import {
  loadedOnce,
  type NearbyPlace,
  type Place,
  type PlaceFile,
  readPlaceFile,
  stateOf,
  type WantedPlaces,
} from './place-file.ts'

/** Beyond, a place does not name a position any more. */
const NAMES_WITHIN_KM = 30
/** Beyond, not even its country is sure where no outline tells. */
const FAR_KM = 100

/** Enough that every place that reaches the position is among them, apart from large ones. */
const NEAREST = 40
/** Places that reach further than the nearest ones are away, where places are dense. */
const LARGE_POPULATION = 50_000
/** Where outlines tell nothing, so many places must agree. */
const MOST_AGREEING = 5

/** Names positions by the nearest places of GeoNames in the country and the state that outlines show. */
export class Gazetteer {
  readonly #places: PlaceFile
  readonly #stateNameOf: StateNameOf
  readonly #outlines: Outlines

  private constructor(places: PlaceFile, stateNameOf: StateNameOf, outlines: Outlines) {
    this.#places = places
    this.#stateNameOf = stateNameOf
    this.#outlines = outlines
  }

  /** Takes about 0.5 s the first time, and 30 MB. */
  static readonly load = loadedOnce(
    async () => new Gazetteer(await readPlaceFile(), await readStateNames(), await Outlines.load()),
  )

  /** @returns undefined at sea where there is no place within 100 km. */
  textsAt(position: Position): AddressTexts | undefined {
    const region = this.#regionAt(position)
    if (region === undefined) return undefined
    const nearby = this.#around(position, region)
    // A section may belong to a place that counts as part of another country: Jerusalem's Old City.
    const settlement = settlementAt(nearby) ?? (nearby.length > 0 ? settlementAt(this.#around(position)) : undefined)
    const { locality, suburb } = settlement ?? {}
    return inEveryLanguage(language => ({
      ...(suburb && locality && { suburb: suburbName(suburb, locality) }),
      ...(locality && { locality: localityName(locality, language) }),
      ...this.#regionNames(region, locality, language),
    }))
  }

  /** The country, and its state where that is known without a place. */
  #regionAt(position: Position): Region | undefined {
    const country = this.#countryAt(position)
    if (country === undefined) return undefined
    const state = this.#outlines.stateAt(position, country)
    if (state === undefined)
      return agreed(this.#places.nearest(position, MOST_AGREEING, FAR_KM, { region: country }), stateOf) ?? country
    const [beside] = this.#places.nearest(position, 1, BESIDE_PLACE_KM, { region: country })
    return beside ? stateOf(beside.place) : state
  }

  #countryAt(position: Position): Region | undefined {
    const outlined = this.#outlines.countryAt(position)
    const [nearest] = this.#places.nearest(position, 1, outlined === undefined ? NAMES_WITHIN_KM : FAR_KM)
    if (outlined === undefined)
      return nearest ? nearest.place.country : agreed(this.#places.nearest(position, MOST_AGREEING, FAR_KM), countryOf)
    // To whom land belongs is disputed where GeoNames means another country by a place in the same outline.
    const isMeant = nearest && this.#outlines.countryAt(nearest.position) === outlined
    return isMeant ? nearest.place.country : outlined
  }

  #around(position: Position, region?: Region): NearbyPlace[] {
    const placesOf = (count: number, wanted: WantedPlaces) =>
      this.#places.nearest(position, count, NAMES_WITHIN_KM, { ...wanted, region })
    const nearest = placesOf(NEAREST, {})
    const known = new Set(nearest.map(({ id }) => id))
    const large = placesOf(Number.POSITIVE_INFINITY, { leastPopulation: LARGE_POPULATION })
    return [...nearest, ...large.filter(({ id }) => !known.has(id))]
  }

  #regionNames(region: Region, locality: Place | undefined, language: AddressLanguage): AddressParts {
    const [country = '', state] = region.split('.')
    const stateCode = state ?? (locality?.country === country ? locality.stateCode : '')
    return {
      state: this.#stateNameOf({ country, stateCode, name: locality?.name ?? '' }, language),
      country: countryName(country, language),
    }
  }
}

const countryOf = ({ country }: Place): Region => country

/** @returns undefined when the places are not all in one */
function agreed(places: readonly NearbyPlace[], regionOf: (place: Place) => Region): Region | undefined {
  const [region, ...others] = new Set(places.map(({ place }) => regionOf(place)))
  return others.length === 0 ? region : undefined
}

function inEveryLanguage(partsIn: (language: AddressLanguage) => AddressParts): AddressTexts {
  const [en, de] = ADDRESS_LANGUAGES
  return { en: withoutEmpty(partsIn(en)), de: withoutEmpty(partsIn(de)) }
}

function withoutEmpty(parts: AddressParts): AddressParts {
  return Object.fromEntries(Object.entries(parts).filter(([, text]) => text !== ''))
}

interface Settlement {
  readonly locality: Place
  readonly suburb: Place | undefined
}

/** The place of a position, and its section: a place reaches as far as its population usually does; where none reaches,
 * the nearest counts, or a city near by. @param nearby the nearest first, of one state @returns undefined for
 * a section without its place */
export function settlementAt(nearby: readonly NearbyPlace[]): Settlement | undefined {
  const [nearest] = nearby
  if (!nearest) return undefined
  const section = nearby.find(candidate => candidate.place.isSection && isInsideSection(candidate))
  const places = nearby.filter(({ place }) => !place.isSection)
  const whole = section && placeOfSection(section.place, places)
  const locality =
    (section && whole && section === nearest ? whole : undefined) ??
    closestInRelation(places.filter(place => relation(place) <= 1)) ??
    (nearest.place.isSection ? placeOfSection(nearest.place, places) : ownerOf(places))
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

/** Land that no place reaches, such as an airport, may be of a city rather than of the town beside it. */
function ownerOf(places: readonly NearbyPlace[]): NearbyPlace | undefined {
  const [nearest] = places
  if (!nearest) return undefined
  const isOwner = (place: NearbyPlace) =>
    relation(place) <= OWNS_REACHES && relation(place) < CLEARLY_CLOSER * relation(nearest)
  return largest(places.filter(isOwner)) ?? nearest
}

/** Within so many times its reach, land may be of the largest place, ... */
const OWNS_REACHES = 2.1
/** ... which is closer in relation than the nearest one by this. */
const CLEARLY_CLOSER = 0.9

function closestInRelation(places: readonly NearbyPlace[]): NearbyPlace | undefined {
  return places.reduce<NearbyPlace | undefined>(
    (best, place) => (best && relation(best) <= relation(place) ? best : place),
    undefined,
  )
}

/** At most 1 where the place reaches. */
function relation({ place, distanceKm }: NearbyPlace): number {
  return distanceKm / reachKm(place.population)
}

/** A circle with 4,000 people per km², and at least 900 m: Berlin 15 km, Munich 10, a town of 10,000 people 1.8. */
function reachKm(population: number): number {
  return Math.min(15, 0.9 + 0.0085 * Math.sqrt(population))
}

/** Sections are denser than whole places; and a wrong suburb is worse than none, which few cities have complete. */
function isInsideSection({ place, distanceKm }: NearbyPlace): boolean {
  return distanceKm <= 0.5 + 0.006 * Math.sqrt(place.population)
}

/** Outlines of states are half a kilometre wrong or so: so near to a place, its state is believed (docs/adr/0018). */
const BESIDE_PLACE_KM = 0.95
