import { describe, expect, it, test } from 'vitest'
import { Outlines } from './outlines.ts'
import { readPlaceFile } from './place-file.ts'

const outlines = await Outlines.load()

describe('the country at a position', () => {
  test.each<[where: string, lat: number, lon: number, country: string | undefined]>([
    ['Munich', 48.14, 11.58, 'DE'],
    ['Lesotho, all around South Africa', -29.5, 28.3, 'LS'],
    ['San Marino, all around Italy', 43.94, 12.45, 'SM'],
    ['an island', -42.9, 147.3, 'AU'],
    ['a land without a number', 42.66, 21.16, 'XK'],
    ['west of the date line', 66.5, 178, 'RU'],
    ['east of it', 66.5, -173, 'RU'],
    ['Fiji, west of it', -17.8, 178, 'FJ'],
    ['Fiji, east of it', -16.9, -179.95, 'FJ'],
    ['a harbour in the water of a coarse coast', 1.414, 103.907, 'SG'],
    ['an ocean', 30, -40, undefined],
    ['Ceuta, whose own code is only reserved', 35.889, -5.316, 'ES'],
    ['a part of a country with a code of its own', 4.93, -52.33, 'GF'],
    ['an enclave of some hundred metres', 51.4425, 4.9311, 'BE'],
    ['Antarctica', -80, 100, 'AQ'],
    ['the north pole', 90, 0, undefined],
  ])('%s', (_where, lat, lon, country) => {
    expect(outlines.countryAt({ lat, lon })).toBe(country)
  })

  it('is the one of nearly all places there, so both mean the same by it', async () => {
    const places = (await readPlaceFile()).nearest(
      { lat: 0, lon: 0 },
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    )
    const counts = new Map<string, { right: number; all: number }>()
    for (const { place, position } of places.filter((_, index) => index % 10 === 0)) {
      const outline = outlines.countryAt(position)
      if (outline === undefined) continue
      const count = counts.get(outline) ?? { right: 0, all: 0 }
      count.all++
      if (place.country === outline) count.right++
      counts.set(outline, count)
    }
    expect(counts.size).toBeGreaterThan(150)
    const doubtful = [...counts].filter(([, { right, all }]) => right / all < 0.8)
    expect(doubtful.map(([outline]) => outline)).toEqual([])
  })
})

test.each<[where: string, lat: number, lon: number, state: string | undefined]>([
  ['Berlin, all around Brandenburg', 52.52, 13.4, 'DE.16'],
  ['Brandenburg beside it', 52.39, 13.06, 'DE.11'],
  ['the Hudson, west of it', 40.7163, -74.0337, 'US.NJ'],
  ['the Hudson, east of it', 40.7033, -74.017, 'US.NY'],
  ['the District of Columbia', 38.8893, -77.0502, 'US.DC'],
  ['Alaska, west of the date line', 52.9, 173.0, 'US.AK'],
  ['east of it', 61.2, -149.9, 'US.AK'],
  ['a desert', -25, 130, 'AU.03'],
  ['another country', 48.14, 11.58, undefined],
])('the state at a position: %s', (_where, lat, lon, state) => {
  const country = state?.slice(0, 2) ?? 'AT'
  expect(outlines.stateAt({ lat, lon }, country)).toBe(state)
})
