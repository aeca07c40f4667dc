import {
  ADDRESS_LANGUAGES,
  type AddressLanguage,
  type AddressParts,
  type AddressTexts,
} from '../derive/addresses/addresses.ts'
import type { Position } from '../model/sample.ts'
import { countryName, localityName, readStateNames, type StateNameOf, suburbName } from './names.ts'
import { Outlines, outlineOf } from './outlines.ts'
import {
  loadedOnce,
  type NearbyPlace,
  type Place,
  type PlaceFile,
  readPlaceFile,
  type WantedPlaces,
} from './place-file.ts'

/** Beyond, a place does not name a position any more. */
const NAMES_WITHIN_KM = 30
/** Beyond, not even its country is sure. */
const COUNTRY_WITHIN_KM = 100

/** Enough that every place that reaches the position is among them, apart from large ones. */
const NEAREST = 40
/** Places that reach further than the nearest ones are away, where places are dense. */
const LARGE_POPULATION = 50_000
/** So many far places must agree on the country. */
const MOST_AGREEING = 5

/** Names positions by the nearest places of GeoNames, in the country that these and the outlines of countries show. */
export class Gazetteer {
  readonly #places: PlaceFile
  readonly #stateNameOf: StateNameOf
  readonly #outlines: Outlines

  private constructor(places: PlaceFile, stateNameOf: StateNameOf, outlines: Outlines) {
    this.#places = places
    this.#stateNameOf = stateNameOf
    this.#outlines = outlines
  }

  /** Takes about 0.4 s the first time, and 25 MB. */
  static readonly load = loadedOnce(
    async () => new Gazetteer(await readPlaceFile(), await readStateNames(), await Outlines.load()),
  )

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
    const farPlaces = this.#places
      .nearest(position, MOST_AGREEING, COUNTRY_WITHIN_KM, { outline })
      .map(({ place }) => place)
    const [farPlace] = farPlaces
    if (!farPlace)
      return inEveryLanguage(language => ({ country: outline === undefined ? '' : countryName(outline, language) }))
    if (farPlaces.some(({ country }) => country !== farPlace.country)) return undefined
    const isSameState = farPlaces.every(({ stateCode }) => stateCode === farPlace.stateCode)
    return inEveryLanguage(language => this.#region(isSameState ? farPlace : { ...farPlace, stateCode: '' }, language))
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
      state: this.#stateNameOf(place, language),
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

interface Settlement {
  readonly locality: Place
  readonly suburb: Place | undefined
}

/** The place of a position, and its section: a place reaches as far as its population usually does; where none reaches,
 * the nearest counts. @param nearby the nearest first @returns undefined for a section without its place */
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

/** A circle with 4,000 people per km², and at least 900 m: Berlin 15 km, Munich 10, a town of 10,000 people 1.8. */
function reachKm(population: number): number {
  return Math.min(15, 0.9 + 0.0085 * Math.sqrt(population))
}

/** Sections are denser than whole places; and a wrong suburb is worse than none, which few cities have complete. */
function isInsideSection({ place, distanceKm }: NearbyPlace): boolean {
  return distanceKm <= 0.5 + 0.006 * Math.sqrt(place.population)
}

/* Outlines are half a kilometre wrong or so. With these values the fewest of 2,500 known places near borders get a
 * wrong country (docs/adr/0018). */

/** So near to a place its country is believed, ... */
const BESIDE_PLACE_KM = 0.95
/** ... and less near, the farther the border is: by this share of the distance. */
const SHARE_OF_BORDER = 0.2
/** Farther than this from any border, outlines are wrong about a place only because they mean something else. */
const WRONG_BY_KM = 3

/** The outline in which a position is (see `outlineOf`), by the outlines and the nearest place.
 * @returns undefined at sea */
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
