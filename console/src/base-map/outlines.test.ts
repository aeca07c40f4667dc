import type { Polygon } from 'geojson'
import { describe, expect, test } from 'vitest'
import { countryLabels, smoothed, unwrapped } from './outlines.ts'

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

function ringOf(...coordinates: [number, number][]): Polygon {
  return { type: 'Polygon', coordinates: [coordinates] }
}

describe('outlines across the 180th meridian', () => {
  test('stay where they are if they do not cross it', () => {
    const still = ringOf([0, 0], [10, 0], [10, 10], [0, 10], [0, 0])
    expect(unwrapped(still)).toEqual(still)
  })

  test('go on beyond it, eastwards and westwards, and end where they began', () => {
    expect(unwrapped(ringOf([170, 60], [-170, 60], [-170, 70], [170, 70], [170, 60])).coordinates[0]).toEqual([
      [170, 60],
      [190, 60],
      [190, 70],
      [170, 70],
      [170, 60],
    ])
    expect(
      unwrapped({
        type: 'LineString',
        coordinates: [
          [-179, 1],
          [179, 2],
        ],
      }).coordinates,
    ).toEqual([
      [-179, 1],
      [-181, 2],
    ])
  })

  test('are closed at the edge of the map if they surround the pole', () => {
    const around = ringOf([-120, -70], [0, -75], [120, -70], [-120, -70])
    expect(unwrapped(around).coordinates[0]).toEqual([
      [-120, -70],
      [0, -75],
      [120, -70],
      [240, -70],
      [240, -90],
      [-120, -90],
      [-120, -70],
    ])
  })
})

test('lines become curves through the same points, unless those are far from one another', () => {
  const line = (coordinates: [number, number][]) => smoothed({ type: 'LineString', coordinates }).coordinates
  const curve = line([
    [8, 49],
    [8.1, 49.1],
    [8.2, 49],
  ])
  expect(curve).toHaveLength(9)
  expect([curve[0], curve[4], curve[8]]).toEqual([
    [8, 49],
    [8.1, 49.1],
    [8.2, 49],
  ])
  // Steeper than the straight line where it comes, and flat where it turns.
  expect(curve[3]?.[1]).toBeGreaterThan(49.08)
  expect(
    line([
      [8, 49],
      [18, 49],
    ]),
  ).toHaveLength(2)
})
