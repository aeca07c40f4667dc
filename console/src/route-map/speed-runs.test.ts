import { describe, expect, it } from 'vitest'
import { SPEED_CLASSES, speedRunsOf } from './speed-runs.ts'
import type { TrackPoint } from './track.ts'

const point = (second: number, speedKmh: number | undefined): TrackPoint => ({
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
    expect(shapes([point(0, 0), point(1, 30), point(2, 20), point(3, 31), point(4, 130)])).toEqual([
      [0, [0, 1, 2]],
      [1, [2, 3]],
      [4, [3, 4]],
    ])
  })

  it('is broken where nobody knows where the car was', () => {
    expect(shapes([point(0, 10), point(1, 10), point(200, 10), point(201, 10)])).toEqual([
      [0, [0, 1]],
      [0, [200, 201]],
    ])
  })

  it('has no colour where the speed is not known, and no pieces without two places', () => {
    expect(speedRunsOf([point(0, undefined), point(1, undefined)])).toEqual([
      {
        color: undefined,
        points: [
          [0, 49],
          [1, 49],
        ],
      },
    ])
    expect(speedRunsOf([point(0, 10)])).toEqual([])
  })
})
