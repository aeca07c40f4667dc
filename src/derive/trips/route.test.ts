import fc from 'fast-check'
import { expect, test } from 'vitest'
import { distanceToLineM, every, ignition, place, tripsOf } from '../../../test/trip-samples.ts'
import type { Position } from '../../model/sample.ts'
import { addFix, emptyRoute, positionsOf, routeText, storeRoute } from './route.ts'
import type { Route } from './state.ts'

/** A drive as a car makes it and worse: straight, around bends, back on its own way, circles, noise. */
const drive: fc.Arbitrary<Position[]> = fc
  .array(
    fc.record({
      stepM: fc.constantFrom(0.5, 3, 10, 30, 300, 5000),
      turn: fc.constantFrom(0, 0, 0.01, -0.1, 0.5, Math.PI / 2, Math.PI),
      count: fc.integer({ min: 1, max: 30 }),
      noiseM: fc.constantFrom(0, 0, 2, 8),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map(stretches => {
    let [x, y, heading, seed] = [0, 0, 0, 7]
    return stretches.flatMap(({ stepM, turn, count, noiseM }) =>
      Array.from({ length: count }, () => {
        heading += turn
        x += stepM * Math.cos(heading)
        y += stepM * Math.sin(heading)
        seed = (seed * 16_807) % 2_147_483_647
        return place(x + noiseM * (seed / 2_147_483_647 - 0.5), y)
      }),
    )
  })

function routeThrough(points: readonly Position[]): Route {
  const route = emptyRoute()
  for (const point of points) addFix(route, point)
  return route
}

test('every fix lies within five metres of the simplified route', () => {
  fc.assert(
    fc.property(drive, points => {
      const line = positionsOf(routeText(routeThrough(points)))
      expect(points.filter(point => !(distanceToLineM(point, line) <= 5))).toEqual([])
    }),
    { numRuns: 300 },
  )
})

test('the final part only grows, and what is stored of it makes no difference', () => {
  fc.assert(
    fc.property(drive, fc.array(fc.boolean(), { minLength: 240, maxLength: 240 }), (points, isStored) => {
      const whole = emptyRoute()
      let route = emptyRoute()
      let stored = ''
      const wrong = points.filter((point, i) => {
        const { final } = whole
        addFix(whole, point)
        const hasGrown = whole.final.startsWith(final)
        addFix(route, point)
        if (isStored[i]) {
          stored += route.final
          storeRoute(route, route.final.length)
        }
        return !hasGrown || route.kept !== stored.length || stored + routeText(route) !== routeText(whole)
      })
      expect(wrong).toEqual([])
      for (const each of [route, whole]) storeRoute(each, each.final.length)
      expect(route).toEqual(whole)
    }),
    { numRuns: 100 },
  )
})

test('a straight road of ten kilometres is a handful of points, a bend keeps its form', () => {
  const straight = Array.from({ length: 1001 }, (_, i) => place(10 * i))
  expect(positionsOf(routeText(routeThrough(straight))).length).toBeLessThanOrEqual(7)
  const bend = Array.from({ length: 100 }, (_, i) => place(500 * Math.cos(i / 50), 500 * Math.sin(i / 50)))
  const points = positionsOf(routeText(routeThrough(bend)))
  expect(points.length).toBeGreaterThan(5)
  expect(points.length).toBeLessThan(20)
})

test('the route of a trip leads from its first to its newest fix', () => {
  const samples = every(10, 0, 600, s => ({ POSITION: place(10 * s, s % 50) }))
  const [trip] = tripsOf([ignition(-1, true), ...samples])
  const points = positionsOf(trip?.route.text ?? '')
  const rounded = ({ lon, lat }: Position) => ({ lat: Math.round(lat * 1e5) / 1e5, lon: Math.round(lon * 1e5) / 1e5 })
  expect(points[0]).toEqual(rounded(place(0)))
  expect(points.at(-1)).toEqual(rounded(place(6000)))
})
