import fc from 'fast-check'
import { expect, it } from 'vitest'
import { distanceM, METRES_PER_DEGREE_NORTH, metresPerDegreeEast } from '../earth.ts'
import { measuredShape } from './measured-shape.ts'
import type { AreaShape, LonLat, Ring } from './shape.ts'

const anyLongitude = fc.double({ min: -180, max: 180, noNaN: true })
const anyLatitude = fc.double({ min: -70, max: 70, noNaN: true })
const anyAngle = fc.double({ min: 0, max: 2 * Math.PI, noNaN: true })

function wrapped(longitude: number): number {
  return longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
}

/** The point so far east and north of another, as maps print it. */
function moved([longitude, latitude]: LonLat, eastM: number, northM: number): LonLat {
  return [wrapped(longitude + eastM / metresPerDegreeEast(latitude)), latitude + northM / METRES_PER_DEGREE_NORTH]
}

function rectangle(center: LonLat, halfEastM: number, halfNorthM: number): Ring {
  const corners: LonLat[] = [
    moved(center, -halfEastM, -halfNorthM),
    moved(center, halfEastM, -halfNorthM),
    moved(center, halfEastM, halfNorthM),
    moved(center, -halfEastM, halfNorthM),
  ]
  return [...corners, moved(center, -halfEastM, -halfNorthM)]
}

function distanceOf(shape: AreaShape, [longitude, latitude]: LonLat): number {
  return measuredShape(shape).signedDistanceM(longitude, latitude)
}

/** By how much the first of two lengths of some hundreds of metres is wrong beyond 0.5 % and a metre. */
function errorM(actual: number, expected: number): number {
  return Math.max(0, Math.abs(actual - expected) - 1 - Math.abs(expected) * 0.005)
}

it('a circle is as far away as its centre, less its radius, all around the earth', () => {
  fc.assert(
    fc.property(
      anyLongitude,
      anyLatitude,
      anyAngle,
      fc.double({ min: 0, max: 3000, noNaN: true }),
      (lon, lat, angle, m) => {
        const point = moved([lon, lat], m * Math.sin(angle), m * Math.cos(angle))
        const away = distanceOf({ type: 'circle', center: [lon, lat], radiusM: 500 }, point)
        expect(errorM(away, m - 500)).toBe(0)
      },
    ),
  )
})

it('the distance to a rectangle is that on a plane, inside and outside, also across the antimeridian', () => {
  const metres = fc.double({ min: -2000, max: 2000, noNaN: true })
  fc.assert(
    fc.property(
      fc.oneof(anyLongitude, fc.constantFrom(180, -180, 179.99, -179.999)),
      anyLatitude,
      metres,
      metres,
      (lon, lat, x, y) => {
        const shape: AreaShape = { type: 'polygon', polygons: [[rectangle([lon, lat], 800, 400)]] }
        const outX = Math.abs(x) - 800
        const outY = Math.abs(y) - 400
        const expected =
          outX <= 0 && outY <= 0 ? Math.max(outX, outY) : Math.hypot(Math.max(0, outX), Math.max(0, outY))
        expect(errorM(distanceOf(shape, moved([lon, lat], x, y)), expected)).toBe(0)
      },
    ),
  )
})

it('a hole is outside, and its border is a border', () => {
  const shape: AreaShape = {
    type: 'polygon',
    polygons: [[rectangle([11, 48], 800, 800), rectangle([11, 48], 300, 300)]],
  }
  expect(errorM(distanceOf(shape, [11, 48]), 300)).toBe(0)
  expect(errorM(distanceOf(shape, moved([11, 48], 350, 0)), -50)).toBe(0)
  expect(errorM(distanceOf(shape, moved([11, 48], 900, 0)), 100)).toBe(0)
})

it('a corridor reaches half its width to each side of its line, and around its ends', () => {
  const line: LonLat[] = [[8, 50], moved([8, 50], 1000, 0), moved([8, 50], 1000, 1000)]
  const shape: AreaShape = { type: 'corridor', line, halfWidthM: 50 }
  expect(errorM(distanceOf(shape, moved([8, 50], 500, 30)), -20)).toBe(0)
  expect(errorM(distanceOf(shape, moved([8, 50], 500, -80)), 30)).toBe(0)
  expect(errorM(distanceOf(shape, moved([8, 50], -90, 0)), 40)).toBe(0)
  expect(errorM(distanceOf(shape, moved([8, 50], 1060, 500)), 10)).toBe(0)
})

it('bounds hold whatever is inside', () => {
  const metres = fc.double({ min: -3000, max: 3000, noNaN: true })
  fc.assert(
    fc.property(anyLongitude, anyLatitude, metres, metres, fc.integer({ min: 0, max: 2 }), (lon, lat, x, y, kind) => {
      const shapes: AreaShape[] = [
        { type: 'circle', center: [lon, lat], radiusM: 2000 },
        { type: 'corridor', line: [[lon, lat], moved([lon, lat], 1500, 800)], halfWidthM: 700 },
        { type: 'polygon', polygons: [[rectangle([lon, lat], 2000, 1000)]] },
      ]
      const shape = measuredShape(shapes[kind] as AreaShape)
      const [longitude, latitude] = moved([lon, lat], x, y)
      if (shape.signedDistanceM(longitude, latitude) > 0) return
      const { west, south, east, north } = shape.bounds
      expect(west).toBeGreaterThanOrEqual(-180)
      expect(west).toBeLessThanOrEqual(180)
      const inside = [longitude, longitude + 360, longitude - 360].some(
        each => each >= west - 1e-9 && each <= east + 1e-9,
      )
      expect(inside && latitude >= south - 1e-9 && latitude <= north + 1e-9).toBe(true)
    }),
  )
})

it('the great-circle distance and that to a tiny circle are one', () => {
  expect(distanceOf({ type: 'circle', center: [11, 48], radiusM: 1 }, [12, 49])).toBeCloseTo(
    distanceM({ lon: 11, lat: 48 }, { lon: 12, lat: 49 }) - 1,
  )
})
