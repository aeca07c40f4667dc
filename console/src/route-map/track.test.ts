import { describe, expect, it } from 'vitest'
import { carAt, SPEED_CLASSES, speedRunsOf, type TrackPoint } from './track.ts'

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

const driven = (second: number, speedKmh: number | undefined): TrackPoint => ({
  timeMs: second * 1000,
  longitude: second,
  latitude: 49,
  speedKmh,
  altitudeM: undefined,
  courseDeg: undefined,
})
const shapes = (track: readonly TrackPoint[]) =>
  speedRunsOf(track).map(({ points, color }) => [
    SPEED_CLASSES.findIndex(speedClass => speedClass.color === color),
    points.map(([longitude]) => longitude),
  ])

describe('a route by speed', () => {
  it('has a piece for each class of speed in turn, and the pieces touch', () => {
    expect(shapes([driven(0, 0), driven(1, 30), driven(2, 20), driven(3, 31), driven(4, 130)])).toEqual([
      [0, [0, 1, 2]],
      [1, [2, 3]],
      [4, [3, 4]],
    ])
  })

  it('is broken where nobody knows where the car was', () => {
    expect(shapes([driven(0, 10), driven(1, 10), driven(200, 10), driven(201, 10)])).toEqual([
      [0, [0, 1]],
      [0, [200, 201]],
    ])
  })

  it('has no colour where the speed is not known, and no pieces without two places', () => {
    expect(speedRunsOf([driven(0, undefined), driven(1, undefined)])).toEqual([
      {
        color: undefined,
        points: [
          [0, 49],
          [1, 49],
        ],
      },
    ])
    expect(speedRunsOf([driven(0, 10)])).toEqual([])
  })
})
