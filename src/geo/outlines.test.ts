import { beforeAll, describe, expect, it, test } from 'vitest'
import { Outlines, outlineOf } from './outlines.ts'
import { readPlaceFile } from './place-file.ts'

let outlines: Outlines
beforeAll(async () => {
  outlines = await Outlines.load()
})

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
    ['an ocean', 0, -30, undefined],
    ['the south pole', -90, 0, undefined],
    ['Antarctica', -80, 100, undefined],
    ['the north pole', 90, 0, undefined],
  ])('%s', (_where, lat, lon, country) => {
    expect(outlines.countryAt({ lat, lon })).toBe(country)
  })

  it('is the one of nearly all places there, so the table of codes is right', async () => {
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
      if (outlineOf(place.country) === outline) count.right++
      counts.set(outline, count)
    }
    expect(counts.size).toBeGreaterThan(150)
    const doubtful = [...counts].filter(([, { right, all }]) => right / all < 0.8)
    expect(doubtful.map(([outline]) => outline)).toEqual([])
  })
})

describe('the nearest border', () => {
  test.each<[where: string, lat: number, lon: number, leastKm: number, mostKm: number]>([
    ['Passau', 48.574, 13.462, 0, 1],
    ['Salzburg', 47.8, 13.045, 2, 8],
    ['a coast, which is none', 53.87, 8.7, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    ['far away', 51, 10, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  ])('%s', (_where, lat, lon, leastKm, mostKm) => {
    const km = outlines.borderKm({ lat, lon }, 10)
    expect(km).toBeGreaterThanOrEqual(leastKm)
    expect(km).toBeLessThanOrEqual(mostKm)
  })
})
