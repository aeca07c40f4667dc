import type { Address, Trip } from '../api/types.ts'

/** What is known of an address: of a place that has none, only the town and what is around it. */
type Known = Partial<Address>

/**
 * `Rosenheimer Straße 145, Munich`, without a street `Haidhausen, Munich`, with the country where that is not the usual one;
 * empty without any text.
 */
export function shortAddress(address: Known, homeCountry = ''): string {
  const { road, houseNumber, suburb, locality, state, country } = address
  const street = [road, houseNumber].filter(Boolean).join(' ')
  const part = street || suburb
  const place = locality || (part ? '' : state)
  const abroad = country === homeCountry ? '' : country
  return [part, place, abroad].filter(Boolean).join(', ')
}

/** The whole address in one line; empty without any text. */
export function longAddress({ road, houseNumber, postcode, locality, suburb, state, country }: Known): string {
  const street = [road, houseNumber].filter(Boolean).join(' ')
  const part = street || (locality ? suburb : '')
  const town = [postcode, locality || suburb].filter(Boolean).join(' ')
  // Some towns are a state of their own.
  return [part, town, state === locality ? '' : state, country].filter(Boolean).join(', ')
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
