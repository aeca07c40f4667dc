import { expect, it } from 'vitest'
import type { Area } from '../api/types.ts'
import { pointsText, readPoints, shapeOfText } from './draft.ts'
import { circleOf, circleRing, drawnOf, nameAtIn, onEarth, type Shape, shapeOf } from './shape.ts'

const RING = [
  [8, 49],
  [8.1, 49],
  [8.1, 49.1],
  [8, 49],
] as const

it('a shape comes back from the API as it was sent', () => {
  const shapes: Shape[] = [
    { type: 'circle', center: [8.4, 49], radiusM: 150 },
    {
      type: 'corridor',
      line: [
        [8, 49],
        [9, 50],
      ],
      halfWidthM: 40,
    },
    { type: 'polygon', polygons: [[RING]] },
    { type: 'polygon', polygons: [[RING], [RING]] },
  ]
  for (const shape of shapes) {
    const drawn = { radiusM: null, halfWidthM: null, ...drawnOf(shape) }
    expect(shapeOf(drawn)).toEqual(shape)
  }
})

it('a circle is found in the ring that a drawing makes of it', () => {
  const { center, radiusM } = circleOf(circleRing([179.9999, 49], 150))
  expect(center[0]).toBeCloseTo(179.9999, 4)
  expect(center[1]).toBeCloseTo(49, 5)
  expect(radiusM).toBe(150)
  expect(onEarth([181, 10])).toEqual([-179, 10])
})

it('points are written and read a line each, latitude first, rings apart by an empty line', () => {
  const shape: Shape = { type: 'polygon', polygons: [[RING, RING]] }
  const text = pointsText(shape)
  expect(text).toBe('49, 8\n49, 8.1\n49.1, 8.1\n\n49, 8\n49, 8.1\n49.1, 8.1')
  expect(shapeOfText('polygon', text, 0)).toEqual(shape)
  expect(shapeOfText('polygon', `${text}\n49, 8\n`, 0)).toEqual(shape)
  expect(shapeOfText('corridor', ' 49.5;8.25 \n49 8\n\n', 30)).toMatchObject({ line: [[8.25, 49.5], RING[0]] })
  expect(shapeOfText('circle', '49, 8', 5)).toEqual({ type: 'circle', center: RING[0], radiusM: 5 })
})

it.each([
  ['polygon', '49, 8\n49, 8.1', 1],
  ['corridor', '49, 8', 1],
  ['circle', '49, 8\n49, 8.1', 1],
  ['circle', '49, 8', 0],
  ['circle', '', 1],
] as const)('no %s is made of %j and %d metres', (type, text, metres) => {
  expect(shapeOfText(type, text, metres)).toBeUndefined()
})

it.each(['49', '91, 8', '49, 181', 'Depot', '49, 8, 100'])('%j is no point', text => {
  expect(readPoints(`49, 8\n${text}`)).toEqual({ wrongLine: text })
})

const area = (name: string, type: string, coordinates: unknown, more: Partial<Area> = {}): Area => ({
  id: name,
  name,
  version: 1,
  kind: 'DEPOT',
  color: '#000000',
  geometry: { type, coordinates } as Area['geometry'],
  radiusM: null,
  halfWidthM: null,
  validFromTimestamp: null,
  deleteTimestamp: null,
  modifyTimestamp: '2026-01-01T00:00:00.000000Z',
  ...more,
})

const square = (longitude: number, latitude: number, degrees: number) => [
  [longitude, latitude],
  [longitude + degrees, latitude],
  [longitude + degrees, latitude + degrees],
  [longitude, latitude + degrees],
  [longitude, latitude],
]

const nameAt = nameAtIn([
  area('Town', 'Polygon', [square(8, 49, 1), square(8.6, 49.6, 0.2)]),
  area('Yard', 'Point', [8.4, 49.4], { radiusM: 500 }),
  area(
    'Road',
    'LineString',
    [
      [10, 50],
      [11, 50],
    ],
    { halfWidthM: 200 },
  ),
  area('Island', 'Polygon', [square(179.5, -17, 1)]),
])

it.each([
  ['in a polygon', 49.1, 8.1, 'Town'],
  ['in its hole', 49.7, 8.7, ''],
  ['beside it', 48.9, 8.1, ''],
  ['in the smallest of several', 49.402, 8.401, 'Yard'],
  ['near a line', 50.001, 10.5, 'Road'],
  ['further from it', 50.003, 10.5, ''],
  ['beyond its end', 50, 11.004, ''],
  ['across the antimeridian', -16.5, -179.8, 'Island'],
])('a point %s', (_where, lat, lon, name) => {
  expect(nameAt({ lat, lon })).toBe(name)
})
