import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MOST_POINTS, measurable } from './check-shape.ts'
import { measuredShape } from './measured-shape.ts'
import type { AreaShape, LonLat, Polygon, Ring } from './shape.ts'

const SQUARE: Ring = [
  [11, 48],
  [11.1, 48],
  [11.1, 48.1],
  [11, 48.1],
  [11, 48],
]
const HOLE: Ring = [
  [11.02, 48.02],
  [11.08, 48.02],
  [11.08, 48.08],
  [11.02, 48.02],
]

function faultOf(shape: AreaShape): string | undefined {
  const read = measurable(shape)
  return 'reason' in read ? read.reason : undefined
}

function polygon(...rings: [Ring, ...Ring[]]): AreaShape {
  return { type: 'polygon', polygons: [rings] }
}

it('what people draw can be measured', () => {
  expect(faultOf(polygon(SQUARE))).toBeUndefined()
  expect(faultOf(polygon(SQUARE.toReversed(), HOLE))).toBeUndefined()
  expect(
    faultOf(
      polygon([
        [179, 10],
        [-179, 10],
        [-179, 11],
        [179, 10],
      ]),
    ),
  ).toBeUndefined()
  expect(faultOf({ type: 'circle', center: [-180, 90], radiusM: 100 })).toBeUndefined()
  expect(
    faultOf({
      type: 'corridor',
      line: [
        [0, 0],
        [0, 0],
        [1, 1],
        [0, 1],
        [1, 0],
      ],
      halfWidthM: 5,
    }),
  ).toBeUndefined()
})

describe('what is wrong is named:', () => {
  const around: Ring = [
    [0, 80],
    [90, 80],
    [180, 80],
    [-90, 80],
    [0, 80],
  ]
  const many: LonLat[] = Array.from({ length: MOST_POINTS + 1 }, (_, index) => [index / 1e4, 1])
  it.each<[string, AreaShape, RegExp]>([
    ['no polygon', { type: 'polygon', polygons: [] }, /no polygon/],
    [
      'three points',
      polygon([
        [0, 0],
        [1, 1],
        [0, 0],
      ]),
      /a ring of 3 points; a closed one has at least 4/,
    ],
    [
      'longitude',
      polygon([
        [0, 0],
        [181, 0],
        [1, 1],
        [0, 0],
      ]),
      /a longitude of 181, which is not from -180 to 180/,
    ],
    [
      'latitude',
      { type: 'circle', center: [8, -90.5], radiusM: 5 },
      /a latitude of -90.5, which is not from -90 to 90/,
    ],
    ['no number', { type: 'circle', center: [Number.NaN, 0], radiusM: 5 }, /a longitude of NaN/],
    [
      'a bow tie',
      polygon([
        [0, 0],
        [1, 1],
        [1, 0],
        [0, 1],
        [0, 0],
      ]),
      /crosses itself near 0, 0/,
    ],
    [
      'a hole across',
      polygon(SQUARE, [
        [11.05, 48.05],
        [11.2, 48.05],
        [11.2, 48.07],
        [11.05, 48.05],
      ]),
      /crosses itself/,
    ],
    [
      'a hole outside',
      polygon(SQUARE, [
        [12, 48],
        [12.1, 48],
        [12.1, 48.1],
        [12, 48],
      ]),
      /a hole outside of its polygon, at 12, 48/,
    ],
    [
      'a line as ring',
      polygon([
        [0, 0],
        [1, 1],
        [2, 2],
        [0, 0],
      ]),
      /encloses nothing, at 0, 0/,
    ],
    ['a pole', polygon(around), /a ring around a pole, at 0, 80/],
    [
      'half the earth',
      {
        type: 'corridor',
        line: [
          [-100, 0],
          [0, 0],
          [100, 0],
        ],
        halfWidthM: 5,
      },
      /180 degrees of longitude wide/,
    ],
    ['no radius', { type: 'circle', center: [0, 0], radiusM: 0 }, /radiusM 0, which is not from 1 to 500000 metres/],
    [
      'half a line',
      {
        type: 'corridor',
        line: [
          [1, 1],
          [1, 1],
        ],
        halfWidthM: 5,
      },
      /fewer than two different points/,
    ],
    ['too many points', { type: 'corridor', line: many, halfWidthM: 5 }, /has 10001 points; at most 10000/],
  ])('%s', (_, shape, message) => {
    expect(faultOf(shape)).toMatch(message)
  })
})

it('rings around a point never cross themselves, wherever on earth they are', () => {
  const anyRing = fc.tuple(
    fc.double({ min: -180, max: 180, noNaN: true }),
    fc.double({ min: -80, max: 80, noNaN: true }),
    fc.array(fc.double({ min: 0.001, max: 0.01, noNaN: true }), { minLength: 3, maxLength: 40 }),
  )
  fc.assert(
    fc.property(anyRing, ([longitude, latitude, radii]) => {
      const points = radii.map((radius, index): LonLat => {
        const angle = (2 * Math.PI * index) / radii.length
        const east = longitude + radius * Math.cos(angle)
        return [east > 180 ? east - 360 : east < -180 ? east + 360 : east, latitude + radius * Math.sin(angle)]
      })
      expect(faultOf(polygon([...points, points[0] as LonLat]))).toBeUndefined()
    }),
  )
})

describe('parts of an area are their union:', () => {
  const box = (x: number, y: number, side = 0.01): Ring => {
    const corners: LonLat[] = [
      [x, y],
      [x + side, y],
      [x + side, y + side],
      [x, y + side],
      [x, y],
    ]
    return corners.map(([lon, lat]): LonLat => [lon > 180 ? lon - 360 : lon, lat])
  }
  const unionOf = (...polygons: Polygon[]) => {
    const read = measurable({ type: 'polygon', polygons })
    return 'shape' in read && read.shape.type === 'polygon' ? read.shape.polygons : read
  }

  it.each<[string, Polygon[], number[], LonLat[]]>([
    ['the same twice', [[box(8, 49)], [box(8, 49).toReversed()]], [5], [[8.005, 49.005]]],
    ['one in another', [[box(8, 49)], [box(8.002, 49.002, 0.001)]], [5], [[8.0025, 49.0025]]],
    ['one that holds another', [[box(8.002, 49.002, 0.001)], [box(8, 49)]], [5], [[8.0025, 49.0025]]],
    ['overlapping', [[box(8, 49)], [box(8.005, 49.005)]], [9], [[8.007, 49.007]]],
    ['sharing half an edge', [[box(8, 49)], [box(8.01, 49.005)]], [9], [[8.01, 49.007]]],
    ['sharing an edge', [[box(8, 49)], [box(8.01, 49)]], [5], [[8.01, 49.005]]],
    [
      'a hole that another part fills',
      [[box(8, 49), box(8.002, 49.002, 0.001)], [box(8.001, 49.001, 0.004)]],
      [5],
      [[8.0025, 49.0025]],
    ],
    [
      'a part in a hole',
      [[box(8, 49), box(8.002, 49.002, 0.005)], [box(8.004, 49.004, 0.001)]],
      [10, 5],
      [[8.0045, 49.0045]],
    ],
    ['apart', [[box(8, 49)], [box(8.02, 49)]], [5, 5], [[8.025, 49.005]]],
    ['touching in a point', [[box(8, 49)], [box(8.01, 49.01)]], [5, 5], [[8.015, 49.015]]],
    [
      'across the antimeridian',
      [[box(179.995, -17)], [box(179.998, -17.005)]],
      [9],
      [
        [-179.999, -16.999],
        [179.999, -16.999],
      ],
    ],
    [
      'from either side of the antimeridian',
      [[box(179.985, -17, 0.02)], [box(-179.999, -17)]],
      [7],
      [[-179.998, -16.995]],
    ],
    [
      'cut at the antimeridian, as GeoJSON asks for',
      [[box(179.99, -17)], [box(-180, -17)]],
      [5],
      [
        [179.999, -16.995],
        [180, -16.995],
        [-179.999, -16.995],
      ],
    ],
    ['a sliver beside one', [[box(8, 49)], [box(8.02, 49, 1e-6)]], [5], [[8.005, 49.005]]],
  ])('%s', (_, polygons, lengths, inside) => {
    const united = unionOf(...polygons)
    expect((united as Polygon[]).map(rings => rings.flat().length)).toEqual(lengths)
    const shape = measuredShape({ type: 'polygon', polygons: united as Polygon[] })
    for (const [lon, lat] of inside) expect(shape.signedDistanceM(lon, lat)).toBeLessThan(-1)
  })

  it('a place is in it when it is in one of them', () => {
    const metres = fc.integer({ min: -20, max: 20 }).map(steps => steps * 1e-4)
    const star = fc.tuple(metres, metres, fc.array(fc.integer({ min: 2, max: 30 }), { minLength: 3, maxLength: 8 }))
    fc.assert(
      fc.property(
        fc.constantFrom(8, 179.999, -179.9995),
        fc.array(star, { minLength: 2, maxLength: 5 }),
        metres,
        metres,
        (lon, stars, x, y) => {
          const at = (east: number, north: number): LonLat => [((lon + east + 540) % 360) - 180, 49 + north]
          const polygons = stars.map(([east, north, radii]): Polygon => {
            const points = radii.map((radius, index) => {
              const angle = (2 * Math.PI * index) / radii.length
              return at(east + radius * 1e-4 * Math.cos(angle), north + radius * 1e-4 * Math.sin(angle))
            })
            return [[...points, points[0] as LonLat]]
          })
          const of = (parts: readonly Polygon[]) =>
            measuredShape({ type: 'polygon', polygons: parts }).signedDistanceM(...at(x, y))
          const nearest = Math.min(...polygons.map(part => of([part])))
          const united = unionOf(...polygons) as Polygon[]
          expect(Math.abs(nearest) < 0.01 || of(united) < 0 === nearest < 0).toBe(true)
          // What is stored can be sent again.
          expect(faultOf({ type: 'polygon', polygons: united })).toBeUndefined()
        },
      ),
    )
  })

  it('edges that are almost the same are no obstacle', () => {
    // In billionths of a degree.
    const corners = [
      '1000013,-48 1999989,-1 2999992,-43 2999966,1999981 999970,1999967',
      '3000018,2000049 4499978,2000031 6000001,2000002 6000030,4999988 3000037,5000019',
      '-8,1000015 1499960,999968 2999970,999979 2999974,2000003 10,1999955',
      '-45,36 1500018,-30 3000012,-11 2999967,1999970 -28,1999958',
      '1999997,-12 3499951,-37 5000033,-26 4999966,1000006 1999978,999999',
    ]
    const polygons = corners.map((text): Polygon => {
      const ring = text.split(' ').map((point): LonLat => {
        const [x = 0, y = 0] = point.split(',').map(Number)
        return [(139_700_000_000 + x) / 1e9, (49_000_000_000 + y) / 1e9]
      })
      return [[...ring, ring[0] as LonLat]]
    })
    expect(unionOf(...polygons)).toHaveLength(2)
  })

  it('parts that cross each other thousands of times are refused before anybody waits for their union', () => {
    const bar = (index: number): Ring => [
      [8, 49 + index / 1e3],
      [9, 49 + index / 1e3],
      [9, 49.0005 + index / 1e3],
      [8, 49 + index / 1e3],
    ]
    const bars = Array.from({ length: 100 }, (_, index) => bar(index))
    const across = bars.map(ring => ring.map(([x, y]): LonLat => [y - 41, x + 41]))
    expect(unionOf(...[...bars, ...across].map((ring): Polygon => [ring]))).toEqual({
      reason: 'has parts that meet each other at too many places',
    })
  })
})
