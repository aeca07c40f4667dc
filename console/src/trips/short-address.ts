import type { Address, Trip } from '../api/types.ts'

/**
 * `Rosenheimer Straße 145, Munich`, without a street `Haidhausen, Munich`, with the country where that is not the usual one;
 * empty without any text.
 */
export function shortAddress(address: Address, homeCountry: string): string {
  const { road, houseNumber, suburb, locality, state, country } = address
  const street = [road, houseNumber].filter(Boolean).join(' ')
  const part = street || suburb
  const place = locality || (part ? '' : state)
  const abroad = country === homeCountry ? '' : country
  return [part, place, abroad].filter(Boolean).join(', ')
}

/** The whole address in one line; empty without any text. */
export function longAddress({ road, houseNumber, postcode, locality, suburb, state, country }: Address): string {
  const street = [road, houseNumber].filter(Boolean).join(' ')
  const part = street || (locality ? suburb : '')
  const town = [postcode, locality || suburb].filter(Boolean).join(' ')
  // Some towns are a state of their own.
  return [part, town, state === locality ? '' : state, country].filter(Boolean).join(', ')
}

type PlaceName = Pick<Address, 'suburb' | 'locality' | 'state' | 'country'>

const NO_STREET = { id: '', road: '', houseNumber: '', postcode: '', lat: 0, lon: 0 }

/** What a place without a street is called: `Haidhausen, Munich, Bavaria, Germany`; empty without any text. */
export function placeName(place: PlaceName): string {
  return longAddress({ ...NO_STREET, ...place })
}

/** The same in short: `Haidhausen, Munich, Germany`. */
export function shortPlaceName(place: PlaceName): string {
  return shortAddress({ ...NO_STREET, ...place }, '')
}

/** The country in which most of the trips begin, which goes without saying; empty when none is known. */
export function homeCountryOf(trips: readonly Pick<Trip, 'tripStartAddress'>[]): string {
  const counts = new Map<string, number>()
  let home = ''
  for (const { tripStartAddress } of trips) {
    const country = tripStartAddress?.country
    if (!country) continue
    const count = (counts.get(country) ?? 0) + 1
    counts.set(country, count)
    if (count > (counts.get(home) ?? 0)) home = country
  }
  return home
}
