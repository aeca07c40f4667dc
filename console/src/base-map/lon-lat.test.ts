import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodedStep, fixedDegrees } from '../../../src/derive/trips/route.ts'
import { boundsOf, decodePolyline } from './lon-lat.ts'

it('a box holds all points', () => {
  expect(
    boundsOf([
      [8, 49],
      [-3, 50],
    ]),
  ).toEqual([-3, 49, 8, 50])
  expect(boundsOf([])).toBeUndefined()
})

describe('an encoded polyline', () => {
  it('is decoded as the format is described', () => {
    expect(decodePolyline('_p~iF~ps|U_ulLnnqC_mqNvxq`@')).toEqual([
      [-120.2, 38.5],
      [-120.95, 40.7],
      [-126.453, 43.252],
    ])
  })

  it('gives what the service encoded, anywhere on Earth', () => {
    const degrees = (most: number) => fc.double({ min: -most, max: most, noNaN: true }).map(fixedDegrees)
    fc.assert(
      fc.property(fc.array(fc.tuple(degrees(180), degrees(90))), points => {
        let [east, north] = [0, 0]
        let text = ''
        for (const [longitude, latitude] of points) {
          text += encodedStep(latitude - north, longitude - east)
          east = longitude
          north = latitude
        }
        expect(decodePolyline(text)).toEqual(points.map(([longitude, latitude]) => [longitude / 1e5, latitude / 1e5]))
      }),
    )
  })

  it.each([
    ['', 0],
    ['_p~iF~ps|U_u', 1],
    ['_p~iF', 0],
  ])('%j has %d whole points', (text, count) => {
    expect(decodePolyline(text)).toHaveLength(count)
  })
})
