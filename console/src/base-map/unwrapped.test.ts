import type { Polygon } from 'geojson'
import { describe, expect, test } from 'vitest'
import { unwrapped } from './unwrapped.ts'

function ringOf(...coordinates: [number, number][]): Polygon {
  return { type: 'Polygon', coordinates: [coordinates] }
}

describe('outlines across the 180th meridian', () => {
  test('stay where they are if they do not cross it', () => {
    const square = ringOf([0, 0], [10, 0], [10, 10], [0, 10], [0, 0])
    expect(unwrapped(square)).toEqual(square)
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
