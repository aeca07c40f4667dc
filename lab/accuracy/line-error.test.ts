import { expect, test } from 'vitest'
import { encodedStep, fixedDegrees, positionsOf } from '../../src/derive/trips/route.ts'
import type { DeviceId, Position } from '../../src/model/sample.ts'
import { moved, wayTowards } from '../simulation/ground.ts'
import { kindNamed } from '../simulation/kinds-of-dongles.ts'
import { randomRecording } from '../simulation/random-recording.ts'
import { distanceFromWays } from './line-error.ts'

test('a polyline is read back as it was written', () => {
  const points: Position[] = [
    { lon: 8.40441, lat: 49.00937 },
    { lon: 8.40441, lat: 49.0094 },
    { lon: -179.99999, lat: -16.85 },
    { lon: 179.99999, lat: 0 },
  ]
  let [lat, lon] = [0, 0]
  let text = ''
  for (const point of points) {
    text += encodedStep(fixedDegrees(point.lat) - lat, fixedDegrees(point.lon) - lon)
    ;[lat, lon] = [fixedDegrees(point.lat), fixedDegrees(point.lon)]
  }
  expect(positionsOf(text)).toEqual(points)
  expect(positionsOf('')).toEqual([])
})

test.each([undefined, { lon: 179.995, lat: -16.85 }])(
  'how far a point is from the way that was driven, around %o',
  town => {
    const { truth } = randomRecording({
      deviceId: 351_000_000_000_000 as DeviceId,
      kind: { ...kindNamed('positions').kind, fixS: 30 },
      fromMs: Date.UTC(2026, 2, 2, 6),
      drivesByCar: [4],
      seed: 3,
      ...(town && { town }),
    })
    const fromWays = distanceFromWays(truth.stints)
    for (const { drive, startPosition } of truth.trips) {
      const { leg } = drive.plan.stretches[Math.floor(drive.plan.stretches.length / 2)] ?? {}
      if (!leg) throw new Error('a drive has legs')
      const onTheWay = moved(leg.from, wayTowards(leg.courseDeg, leg.lengthM / 2))
      expect(fromWays(onTheWay)).toBeLessThan(1)
      expect(fromWays(moved(onTheWay, wayTowards(leg.courseDeg + 90, 20)))).toBeLessThanOrEqual(20.1)
      const away = fromWays(moved(startPosition, wayTowards(0, 500_000)))
      expect(away).toBeGreaterThan(400_000)
      expect(away).toBeLessThan(600_000)
      // Near enough is near enough, wherever the point before was.
      const beside = [5, 20, 100].map(m => moved(onTheWay, wayTowards(leg.courseDeg + 90, m)))
      for (const point of [onTheWay, ...beside, startPosition])
        expect(Math.max(fromWays(point, 12), 12)).toBe(Math.max(distanceFromWays(truth.stints)(point), 12))
    }
  },
)
