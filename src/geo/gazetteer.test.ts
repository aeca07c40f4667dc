import { describe, expect, it, test } from 'vitest'
import type { AddressParts } from '../derive/addresses/addresses.ts'
import { Gazetteer } from './gazetteer.ts'
import { LOCALITY_NAMES, STATE_NAMES } from './names.ts'
import { readPlaceFile } from './place-file.ts'

const gazetteer = await Gazetteer.load()

const lineOf = (parts: AddressParts | undefined) =>
  parts && [parts.suburb, parts.locality, parts.state, parts.country].map(part => part ?? '-').join(', ')

function at(lat: number, lon: number) {
  const texts = gazetteer.textsAt({ lat, lon })
  return { en: lineOf(texts?.en), de: lineOf(texts?.de) }
}

test.each<[where: string, lat: number, lon: number, en: string, de: string]>([
  ['Marienplatz', 48.1374, 11.5755, '-, Munich, Bavaria, Germany', '-, München, Bayern, Deutschland'],
  [
    'Nippes',
    50.965,
    6.95,
    'Nippes, Cologne, North Rhine-Westphalia, Germany',
    'Nippes, Köln, Nordrhein-Westfalen, Deutschland',
  ],
  ['Kreuzberg', 52.4986, 13.4034, 'Kreuzberg, Berlin, Berlin, Germany', 'Kreuzberg, Berlin, Berlin, Deutschland'],
  ['Favoriten', 48.17, 16.38, 'Favoriten, Vienna, Vienna, Austria', 'Favoriten, Wien, Wien, Österreich'],
  ['Oerlikon', 47.41, 8.545, 'Oerlikon, Zurich, Zurich, Switzerland', 'Oerlikon, Zürich, Zürich, Schweiz'],
  ['Genève', 46.2, 6.14, '-, Geneva, Geneva, Switzerland', '-, Genf, Genf, Schweiz'],
  ['Louvre', 48.8606, 2.3376, '-, Paris, Île-de-France, France', '-, Paris, Île-de-France, Frankreich'],
  ['Colosseum', 41.8902, 12.4922, '-, Rome, Lazio, Italy', '-, Rom, Latium, Italien'],
  ['Bolzano', 46.5, 11.35, '-, Bolzano, Trentino-South Tyrol, Italy', '-, Bozen, Trentino-Südtirol, Italien'],
  ['Warsaw', 52.23, 21.01, '-, Warsaw, Masovia, Poland', '-, Warschau, Masowien, Polen'],
  ['Ann Arbor', 42.28, -83.74, '-, Ann Arbor, Michigan, United States', '-, Ann Arbor, Michigan, Vereinigte Staaten'],
  [
    'Los Angeles',
    34.05,
    -118.25,
    '-, Los Angeles, California, United States',
    '-, Los Angeles, Kalifornien, Vereinigte Staaten',
  ],
  ['Tokyo', 35.68, 139.76, '-, Tokyo, Tokyo, Japan', '-, Tokio, Tokio, Japan'],
])('places read as people there would say it, in both languages: %s', (_, lat, lon, en, de) => {
  expect(at(lat, lon)).toEqual({ en, de })
})

describe('what is around a place', () => {
  it('a suburb that is a town of its own is not part of the city beside it', () => {
    expect(at(48.861, 2.443).en).toBe('-, Montreuil, Île-de-France, France')
    expect(at(52.4, 13.06).en).toBe('-, Potsdam, Brandenburg, Germany')
  })

  it('a road between places has the name of the nearest one', () => {
    expect(at(48.3538, 11.7861).en).toBe('-, Hallbergmoos, Bavaria, Germany')
  })

  it('a village at the border belongs to its own country, however large the city on the other side is', () => {
    expect(at(47.593, 7.62).de).toBe('-, Weil am Rhein, Baden-Württemberg, Deutschland')
    expect(at(47.5596, 7.5886).de).toBe('-, Basel, Basel-Stadt, Schweiz')
    expect(at(48.573, 7.815).de).toBe('-, Kehl, Baden-Württemberg, Deutschland')
    expect(at(48.5839, 7.7455).de).toBe('-, Straßburg, Grand Est, Frankreich')
  })
})

describe('far from any place', () => {
  it('up to 100 km away there is a country, and a state when all agree', () => {
    expect(at(23, 5).en).toBe('-, -, Tamanrasset, Algeria')
    expect(at(55, 7.2).de).toBe('-, -, Schleswig-Holstein, Deutschland')
  })

  it('land has its country and state however far it is, and the ocean nothing', () => {
    expect(at(-25, 130).en).toBe('-, -, Northern Territory, Australia')
    expect(at(-31.45, 130.897).de).toBe('-, -, South Australia, Australien')
    for (const [lat, lon] of [
      [30, -40],
      [0, 0],
      [90, 0],
    ] as const)
      expect(gazetteer.textsAt({ lat, lon })).toBeUndefined()
  })

  it('the date line is not a border', () => {
    const [west, east] = [at(-16.8, 179.99), at(-16.8, -179.99)]
    expect(west.en).toBe('-, -, Northern, Fiji')
    expect(east).toEqual(west)
  })
})

it('the tables of names: every place and division in them is in the data', async () => {
  const places = await readPlaceFile()
  const names = new Set<string>()
  const states = new Set<string>()
  for (const { place } of places.nearest({ lat: 0, lon: 0 }, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)) {
    names.add(`${place.country} ${place.name}`)
    states.add(`${place.country} ${place.stateCode}`)
  }
  expect([...LOCALITY_NAMES.keys()].filter(key => !names.has(key))).toEqual([])
  expect([...STATE_NAMES.keys()].filter(key => !states.has(key))).toEqual([])
})
