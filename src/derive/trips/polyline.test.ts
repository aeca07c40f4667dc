import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodedStep, fixedDegrees, positionsOf } from './route.ts'

function encoded(points: readonly (readonly [lat: number, lon: number])[]): string {
  let [beforeLat, beforeLon] = [0, 0]
  return points
    .map(point => {
      const [lat, lon] = point.map(fixedDegrees) as [number, number]
      const step = encodedStep(lat - beforeLat, lon - beforeLon)
      ;[beforeLat, beforeLon] = [lat, lon]
      return step
    })
    .join('')
}

test('the example of the published format', () => {
  const points = [
    [38.5, -120.2],
    [40.7, -120.95],
    [43.252, -126.453],
  ] as const
  expect(encoded(points)).toBe('_p~iF~ps|U_ulLnnqC_mqNvxq`@')
})

test('its example of a single number', () => {
  expect(encodedStep(fixedDegrees(-179.9832104), 0)).toBe('`~oia@?')
})

test('whatever is encoded is decoded to the same five digits', () => {
  const point = fc.tuple(fc.double({ min: -90, max: 90, noNaN: true }), fc.double({ min: -180, max: 180, noNaN: true }))
  fc.assert(
    fc.property(fc.array(point), points => {
      const back = positionsOf(encoded(points))
      expect(back).toHaveLength(points.length)
      points.forEach(([lat, lon], i) => {
        expect(Math.abs((back[i]?.lat ?? Number.NaN) - lat)).toBeLessThanOrEqual(0.5e-5 + 1e-9)
        expect(Math.abs((back[i]?.lon ?? Number.NaN) - lon)).toBeLessThanOrEqual(0.5e-5 + 1e-9)
      })
    }),
  )
})
