import { describe, expect, it } from 'vitest'
import { carAt, type TrackPoint } from './track.ts'

const point = (timeMs: number, longitude: number, latitude: number, known: Partial<TrackPoint> = {}): TrackPoint => ({
  timeMs,
  longitude,
  latitude,
  speedKmh: undefined,
  altitudeM: undefined,
  courseDeg: undefined,
  ...known,
})

describe('where the car was', () => {
  const track = [
    point(1000, 8, 49, { speedKmh: 20 }),
    point(3000, 9, 49, { speedKmh: 40 }),
    point(5000, 9, 50, { courseDeg: 77 }),
    point(500_000, 10, 51),
  ]

  it('between two places is on the line between them, heading for the next', () => {
    const car = carAt(track, 2000)
    expect(car).toMatchObject({ longitude: 8.5, latitude: 49, speedKmh: 30 })
    expect(car?.headingDeg).toBeCloseTo(90)
    expect(carAt(track, 4000)).toMatchObject({ longitude: 9, latitude: 49.5, headingDeg: 0, speedKmh: 40 })
  })

  it('in a long silence is where it was seen last, until it is seen again', () => {
    expect(carAt(track, 499_999)).toMatchObject({ longitude: 9, latitude: 50, headingDeg: 77 })
    expect(carAt(track, 500_000)).toMatchObject({ longitude: 10, latitude: 51 })
  })

  it('before the first and after the last place is there', () => {
    expect(carAt(track, 0)).toMatchObject({ longitude: 8, speedKmh: 20 })
    expect(carAt(track, 900_000)).toMatchObject({ longitude: 10 })
  })

  it('is not known without any place', () => {
    expect(carAt([], 0)).toBeUndefined()
  })
})
