import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkShape, MOST_POINTS } from './check-shape.ts'
import type { AreaShape, LonLat, Ring } from './shape.ts'

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

function polygon(...rings: [Ring, ...Ring[]]): AreaShape {
  return { type: 'polygon', polygons: [rings] }
}

it('what people draw can be measured', () => {
  expect(checkShape(polygon(SQUARE))).toBeUndefined()
  expect(checkShape(polygon(SQUARE.toReversed(), HOLE))).toBeUndefined()
  expect(
    checkShape(
      polygon([
        [179, 10],
        [-179, 10],
        [-179, 11],
        [179, 10],
      ]),
    ),
  ).toBeUndefined()
  expect(checkShape({ type: 'circle', center: [-180, 90], radiusM: 100 })).toBeUndefined()
  expect(
    checkShape({
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
      'not closed',
      polygon([
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
      ]),
      /not closed: it begins at 0, 0 and ends at 0, 1/,
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
    expect(checkShape(shape)).toMatch(message)
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
      expect(checkShape(polygon([...points, points[0] as LonLat]))).toBeUndefined()
    }),
  )
})
