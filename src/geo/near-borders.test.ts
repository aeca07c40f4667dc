import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { Gazetteer } from './gazetteer.ts'
import { countryName } from './names.ts'
import { Outlines } from './outlines.ts'

interface KnownPlace {
  readonly name: string
  readonly lat: number
  readonly lon: number
  readonly country: string
  readonly state: string
}

/** Nearer to a border, neither outlines nor places are sure (docs/adr/0018). */
const SURE_BEYOND_KM = 2

const KNOWN: readonly KnownPlace[] = parse<Readonly<Record<keyof KnownPlace, string>>>(
  readFileSync(new URL('../../test/fixtures/places-near-borders.csv', import.meta.url), 'utf8'),
  { columns: true, comment: '#', comment_no_infix: true },
).map(row => ({ ...row, lat: Number(row.lat), lon: Number(row.lon) }))

let gazetteer: Gazetteer
let outlines: Outlines
beforeAll(async () => {
  gazetteer = await Gazetteer.load()
  outlines = await Outlines.load()
})

const textsAt = (place: KnownPlace) => gazetteer.textsAt(place)?.en
const hasItsCountry = (place: KnownPlace) => textsAt(place)?.country === countryName(place.country, 'en')

describe('places near borders', () => {
  it('are many, on every continent', () => {
    expect(KNOWN.length).toBeGreaterThan(500)
    expect(new Set(KNOWN.map(({ country }) => country)).size).toBeGreaterThan(60)
  })

  it('have their country, but for these, all of them nearer to the border than 2 km', () => {
    const wrong = KNOWN.filter(place => !hasItsCountry(place))
    expect(wrong.map(({ name }) => name)).toEqual([
      'Dörflingen',
      'Perl',
      'Apach',
      'Oberbillig',
      'Bad Nieuweschans',
      'Passau',
      'Brennero station',
      'Ponte Tresa (Svizzera)',
    ])
    for (const place of wrong) expect(outlines.borderKm(place, SURE_BEYOND_KM)).toBeLessThan(SURE_BEYOND_KM)
  })

  it('have their state, but for these, whose nearest places are in another', () => {
    const wrong = KNOWN.filter(place => place.state !== '' && hasItsCountry(place)).filter(
      place => textsAt(place)?.state !== place.state,
    )
    expect(wrong.map(({ name }) => name)).toEqual([
      'Nennig',
      'Mainz-Kastel',
      'Hirschberg (Saale)',
      'Spremberg',
      'Reagan National Airport',
    ])
  })
})

describe('where outlines and places mean different things by a country, places count', () => {
  test.each<[where: string, lat: number, lon: number, country: string]>([
    ['Simferopol', 44.95, 34.1, 'UA'],
    ['between towns of the Crimea', 45.25, 34.6, 'UA'],
    ['Dakhla', 23.71, -15.94, 'EH'],
    ['Cayenne', 4.93, -52.33, 'GF'],
    ['Saint-Laurent-du-Maroni, at a border', 5.49, -54.02, 'GF'],
    ['Réunion', -21.2, 55.6, 'RE'],
    ['Bonaire', 12.17, -68.28, 'BQ'],
    ['Pristina', 42.66, 21.16, 'XK'],
  ])('%s', (_where, lat, lon, country) => {
    expect(gazetteer.textsAt({ lat, lon })?.en?.country).toBe(countryName(country, 'en'))
  })
})

describe('beyond a border', () => {
  it('a place far from its own towns has the country, and not the town across', () => {
    expect(gazetteer.textsAt({ lat: 49.346, lon: 12.847 })?.en).toMatchObject({ country: 'Czechia' })
    expect(gazetteer.textsAt({ lat: 49.346, lon: 12.847 })?.en?.locality).not.toBe('Furth im Wald')
    // 40 km from any town, and most of these are Alaskan.
    expect(gazetteer.textsAt({ lat: 60.6, lon: -136.5 })?.en?.country).toBe('Canada')
  })
})
