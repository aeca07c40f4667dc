import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type AreaIndex, areaIndexOf, type NearbyArea } from './area-index.ts'
import { measuredShape } from './measured-shape.ts'
import type { AreaShape, LonLat } from './shape.ts'

const anyPoint: fc.Arbitrary<LonLat> = fc.tuple(
  fc.oneof(
    fc.double({ min: 179.9, max: 180, noNaN: true }),
    fc.double({ min: -180, max: -179.9, noNaN: true }),
    fc.double({ min: 7, max: 7.2, noNaN: true }),
  ),
  fc.double({ min: 50, max: 50.2, noNaN: true }),
)

const anyStep = fc.double({ min: -0.005, max: 0.005, noNaN: true })

const anyShape: fc.Arbitrary<AreaShape> = fc.oneof(
  fc.record({
    type: fc.constant('circle' as const),
    center: anyPoint,
    radiusM: fc.double({ min: 1, max: 20_000, noNaN: true }),
  }),
  fc.record({
    type: fc.constant('corridor' as const),
    line: fc.tuple(anyPoint, anyPoint),
    halfWidthM: fc.double({ min: 1, max: 500, noNaN: true }),
  }),
)

it('finds exactly the areas that are near enough, as measuring every one does', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ shape: anyShape }), { maxLength: 12 }),
      anyPoint,
      // Where the fixes of a car come from there: what was found for the one before is used again.
      fc.array(fc.tuple(anyStep, anyStep), { maxLength: 8 }),
      fc.constantFrom(0, 30, 5000),
      (areas, start, steps, withinM) => {
        const index: AreaIndex<(typeof areas)[number]> = areaIndexOf(areas, withinM)
        let [longitude, latitude] = start
        for (const [east, north] of [[0, 0], ...steps] as const) {
          longitude += longitude + east > 180 ? east - 360 : east
          latitude += north
          const all: NearbyArea<(typeof areas)[number]>[] = areas
            .map(area => ({ area, signedDistanceM: measuredShape(area.shape).signedDistanceM(longitude, latitude) }))
            .filter(each => each.signedDistanceM <= withinM)
          expect(index.near(longitude, latitude)).toEqual(all)
        }
      },
    ),
  )
})
