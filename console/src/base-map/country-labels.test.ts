import type { Polygon } from 'geojson'
import { describe, expect, test } from 'vitest'
import { countryLabels } from './country-labels.ts'

function square(west: number, south: number, size: number): Polygon['coordinates'] {
  const [east, north] = [west + size, south + size]
  return [
    [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ],
  ]
}

function labelOf(id: string | undefined, language: 'en' | 'de') {
  const [label] = countryLabels(
    {
      type: 'FeatureCollection',
      features: [
        {
          type: 'Feature',
          ...(id === undefined ? {} : { id }),
          properties: { name: 'Name in the atlas' },
          geometry: { type: 'MultiPolygon', coordinates: [square(0, 0, 1), square(10, 20, 4)] },
        },
      ],
    },
    language,
  ).features
  return label
}

describe('names of countries', () => {
  test('are in the language, by the number of the country', () => {
    expect(labelOf('276', 'de')?.properties.name).toBe('Deutschland')
    expect(labelOf('276', 'en')?.properties.name).toBe('Germany')
  })

  test('are those of the atlas where there is no number', () => {
    expect(labelOf(undefined, 'de')?.properties.name).toBe('Name in the atlas')
  })

  test('stand in the middle of the largest part', () => {
    expect(labelOf('276', 'en')?.geometry.coordinates).toEqual([12, 22])
    expect(labelOf('276', 'en')?.properties.area).toBe(16)
  })
})
