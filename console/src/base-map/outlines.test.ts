import { readFileSync } from 'node:fs'
import type { FeatureCollection, Geometry, Position } from 'geojson'
import { expect, test } from 'vitest'
import { countryNames } from './outlines.ts'

test('countries are called as in the language, by their codes; those without one keep the name of the data', () => {
  const namesIn = (language: 'en' | 'de') => countryNames(language).features.map(({ properties }) => properties?.name)
  expect(namesIn('de')).toEqual(expect.arrayContaining(['Deutschland', 'Vereinigte Staaten', 'Kosovo']))
  expect(namesIn('en')).toEqual(expect.arrayContaining(['Germany', 'United States', 'Kosovo']))
})

function linesOf(name: string): Position[][] {
  const data = JSON.parse(readFileSync(new URL(`outlines/${name}.json`, import.meta.url), 'utf8')) as
    | FeatureCollection
    | Geometry
  const geometries = data.type === 'FeatureCollection' ? data.features.map(({ geometry }) => geometry) : [data]
  return geometries.flatMap(geometry =>
    geometry.type === 'LineString'
      ? [geometry.coordinates]
      : geometry.type === 'MultiPolygon'
        ? geometry.coordinates.flat()
        : geometry.type === 'Polygon' || geometry.type === 'MultiLineString'
          ? geometry.coordinates
          : [],
  )
}

test.each(['land-coarse', 'land-fine', 'borders-coarse', 'borders-fine', 'rivers', 'lakes'])(
  'no line of %s runs around the world on a flat map',
  name => {
    const lines = linesOf(name)
    expect(lines.length).toBeGreaterThan(100)
    const isBroken = (line: Position[]) =>
      // Along the edge of the map, beyond which nothing is seen, land may.
      line.some(([x = 0, y = 0], index) => y > -90 && Math.abs(x - (line[index - 1]?.[0] ?? x)) > 180)
    expect(lines.filter(isBroken)).toEqual([])
    const isOpen = (line: Position[]) => name.startsWith('land') && String(line[0]) !== String(line.at(-1))
    expect(lines.filter(isOpen)).toEqual([])
  },
)
