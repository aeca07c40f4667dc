import { describe, expect, test } from 'vitest'
import { every, place, tripsOf } from '../../../test/trip-samples.ts'
import { distanceM } from '../../model/earth.ts'
import { positionsOf } from './route.ts'

/** Deviations of a normal distribution, the same ones in each run. */
function gaussian(seed: number): () => number {
  let state = seed
  const uniform = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state / 0x7fffffff
  }
  return () => Array.from({ length: 12 }, uniform).reduce((sum, value) => sum + value) - 6
}

interface Indoors {
  /** Stated, two times of three; undefined where the phone says nothing. */
  readonly accuracyM: number | undefined
  /** As it is, to either side. */
  readonly sigmaM: number
  readonly everyS: number
  readonly isMoving?: boolean
  /** Of each deviation with the one before. */
  readonly correlation?: number
}

/** A phone that lies indoors for ten hours. */
function indoors({ accuracyM, sigmaM, everyS, isMoving, correlation = 0 }: Indoors, seed: number) {
  const next = gaussian(seed)
  const rest = Math.sqrt(1 - correlation ** 2)
  let [eastM, northM] = [0, 0]
  return every(everyS, 0, 36_000, () => {
    eastM = correlation * eastM + rest * sigmaM * next()
    northM = correlation * northM + rest * sigmaM * next()
    const stated = accuracyM === undefined ? {} : { GPS_HDOP: accuracyM / 5 }
    return { POSITION: place(eastM, northM), ...stated, ...(isMoving === undefined ? {} : { IS_MOVING: isMoving }) }
  })
}

const RARELY = [15, 60, 120, 600]

describe('a phone indoors is on no trip, or on one at most,', () => {
  test.each([
    { accuracyM: 50, sigmaM: 33 },
    { accuracyM: 120, sigmaM: 80 },
    { accuracyM: 200, sigmaM: 130 },
    { accuracyM: 200, sigmaM: 40 },
  ])('while its fixes scatter as it states: %o', phone => {
    for (const everyS of RARELY)
      for (const correlation of [0, 0.9]) expect(tripsOf(indoors({ ...phone, everyS, correlation }, 11))).toEqual([])
  })

  test.each([
    { accuracyM: 120, sigmaM: 160 },
    { accuracyM: 50, sigmaM: 100 },
    { accuracyM: 0, sigmaM: 80 },
    { accuracyM: undefined, sigmaM: 80 },
  ])('if a sensor of motion says so, however they scatter: %o', phone => {
    for (const everyS of RARELY)
      expect(tripsOf(indoors({ ...phone, everyS, isMoving: false }, 22)).length).toBeLessThanOrEqual(1)
  })
})

describe('a drive between two such days is found', () => {
  const DRIVE_S = 1200
  /** At 14 m/s to the east. @param accuracyOf at a second of the drive */
  function day(stepS: number, accuracyOf: (s: number) => number, isMoving?: boolean) {
    const next = gaussian(5)
    const fix = (eastM: number, accuracyM: number, isMovingNow?: boolean) => ({
      POSITION: place(eastM + (accuracyM / 1.5) * next(), (accuracyM / 1.5) * next()),
      GPS_HDOP: accuracyM / 5,
      ...(isMovingNow !== undefined && { IS_MOVING: isMovingNow }),
    })
    const still = (fromS: number, toS: number, eastM: number) => every(120, fromS, toS, () => fix(eastM, 120, false))
    return tripsOf([
      ...still(-10_800, -60, 0),
      ...every(stepS, 0, DRIVE_S, s => fix(14 * s, accuracyOf(s), isMoving)),
      ...still(DRIVE_S + 60, DRIVE_S + 10_800, 14 * DRIVE_S),
    ])
  }

  test.each([
    ['exactly', 10, 5, true],
    ['with a sensor that says the opposite', 10, 5, false],
    ['with none', 60, 5, undefined],
    ['by coarse fixes', 30, 100, undefined],
  ] as const)('%s', (_how, stepS, accuracyM, isMoving) => {
    const [trip, ...others] = day(stepS, () => accuracyM, isMoving)
    expect(others).toEqual([])
    expect(Math.abs((trip?.distanceM ?? 0) - 14 * DRIVE_S)).toBeLessThan(accuracyM === 5 ? 500 : 1000)
  })

  test('and a coarse fix between exact ones bends no line', () => {
    const [trip] = day(10, s => (s % 300 === 0 ? 150 : 5), true)
    const farthestM = positionsOf(trip?.route.text ?? '').map(point =>
      distanceM(point, { ...point, lat: place(0).lat }),
    )
    expect(Math.max(...farthestM)).toBeLessThan(20)
  })
})

test('a dilution of precision that no receiver has is none, and a large one is as uncertain as any', () => {
  const drive = every(10, 0, 600, s => ({ POSITION: place(14 * s), GPS_HDOP: 99.9 }))
  expect(tripsOf(drive).map(trip => trip.distanceM)).toEqual([expect.closeTo(8400, -2)])
  const indoor = (hdop: number) =>
    every(60, 0, 36_000, s => ({ POSITION: place(150 * Math.sin(s), 150 * Math.cos(s * s)), GPS_HDOP: hdop }))
  expect([40, 41, 50, 98].flatMap(hdop => tripsOf(indoor(hdop)))).toEqual([])
})
