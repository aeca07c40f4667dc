import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { describe, expect, it, test } from 'vitest'
import { Gazetteer } from './gazetteer.ts'
import { countryName } from './names.ts'

interface KnownPlace {
  readonly name: string
  readonly lat: number
  readonly lon: number
  readonly country: string
  readonly state: string
  readonly locality?: string
}

const readKnown = (fixture: string): readonly KnownPlace[] =>
  parse<Readonly<Record<keyof KnownPlace, string>>>(
    readFileSync(new URL(`../../test/fixtures/${fixture}.csv`, import.meta.url), 'utf8'),
    { columns: true, comment: '#', comment_no_infix: true },
  ).map(row => ({ ...row, lat: Number(row.lat), lon: Number(row.lon) }))

const KNOWN = readKnown('places-near-borders')
const AT_BORDERS = readKnown('places-at-borders')

const gazetteer = await Gazetteer.load()

const textsAt = (place: KnownPlace) => gazetteer.textsAt(place)?.en
const hasItsCountry = (place: KnownPlace) => textsAt(place)?.country === countryName(place.country, 'en')

describe('places near borders', () => {
  it('are many, on every continent', () => {
    expect(KNOWN.length).toBeGreaterThan(500)
    expect(new Set(KNOWN.map(({ country }) => country)).size).toBeGreaterThan(60)
  })

  it('have their country', () => {
    expect(KNOWN.filter(place => !hasItsCountry(place)).map(({ name }) => name)).toEqual([])
  })

  it('have their state, but for these, where outlines are too coarse', () => {
    const wrong = KNOWN.filter(place => place.state !== '' && textsAt(place)?.state !== place.state)
    expect(wrong.map(({ name }) => name)).toEqual([
      'Nennig',
      'Bremen Airport',
      'Vienna Liesing',
      'Omaha Eppley Airfield',
    ])
  })
})

describe('places at a border, on an enclave, or without a town around', () => {
  const wrong = (part: 'state' | 'locality') =>
    AT_BORDERS.filter(place => place[part] && !place[part].split('|').includes(textsAt(place)?.[part] ?? ''))

  it('have their country', () => {
    const known = AT_BORDERS.filter(({ country }) => country !== '')
    expect(known.filter(place => !hasItsCountry(place)).map(({ name }) => name)).toEqual([])
  })

  it('have their state, but for these', () => {
    expect(wrong('state').map(({ name }) => name)).toEqual(['Gatineau Hull'])
  })

  it('have their locality, but for these, whose own town GeoNames lacks, or which are far from its middle', () => {
    expect(wrong('locality').map(({ name }) => name)).toEqual([
      'Otay Mesa',
      'Mainz-Kostheim',
      'Reagan Airport',
      'Gatineau Hull',
      'Schiphol',
    ])
  })
})

test.each<[where: string, lat: number, lon: number, country: string]>([
  ['Simferopol', 44.95, 34.1, 'UA'],
  ['between towns of the Crimea', 45.25, 34.6, 'UA'],
  ['Dakhla', 23.71, -15.94, 'EH'],
  ['Cayenne', 4.93, -52.33, 'GF'],
  ['Saint-Laurent-du-Maroni, at a border', 5.49, -54.02, 'GF'],
  ['Réunion', -21.2, 55.6, 'RE'],
  ['Bonaire', 12.17, -68.28, 'BQ'],
  ['Pristina', 42.66, 21.16, 'XK'],
])('where outlines and places mean different things by a country, places count: %s', (_where, lat, lon, country) => {
  expect(gazetteer.textsAt({ lat, lon })?.en?.country).toBe(countryName(country, 'en'))
})

it('beyond a border a place far from its own towns has the country, and not the town across', () => {
  expect(gazetteer.textsAt({ lat: 49.346, lon: 12.847 })?.en).toMatchObject({ country: 'Czechia' })
  expect(gazetteer.textsAt({ lat: 49.346, lon: 12.847 })?.en?.locality).not.toBe('Furth im Wald')
  // 40 km from any town, and most of these are Alaskan.
  expect(gazetteer.textsAt({ lat: 60.6, lon: -136.5 })?.en?.country).toBe('Canada')
})
