import {
  ADDRESS_LANGUAGES,
  type AddressLanguage,
  type AddressParts,
  type AddressTexts,
} from '../../derive/addresses/texts.ts'
import type { Position } from '../../model/sample.ts'
import { Outlines } from '../outlines/outlines.ts'
import { outlineAt } from './country.ts'
import { countryName, localityName, readStateNames, type StateNames, suburbName } from './names.ts'
import { type NearbyPlace, type Place, type PlaceFile, readPlaceFile, type WantedPlaces } from './place-file.ts'
import { settlementAt } from './settlement.ts'

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
