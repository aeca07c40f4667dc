import { expect, it } from 'vitest'
import type { Area } from '../api/types.ts'
import { nameAtIn } from './area-at.ts'

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
