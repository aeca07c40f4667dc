import { describe, expect, it, test } from 'vitest'
import { rangedTripsOf } from '../../../test/ranged-trips.ts'
import { at, every, ignition, place, tripsOf } from '../../../test/trip-samples.ts'
import type { Sample } from '../../model/sample.ts'
import { KM_PER_MILE } from './rules.ts'

/** Measures of a length that contradict each other: which one is believed. */

const kilometresOf = (samples: readonly Sample[]) =>
  tripsOf(samples).reduce((sum, trip) => sum + trip.distanceM, 0) / 1000

/** At 60 km/h eastward, in the ten minutes from then on. */
const KMH = 60
const driven = (fromS: number, stepS: number, values: (second: number) => Parameters<typeof at>[1]) => [
  ignition(fromS - 0.001, true),
  ...every(stepS, fromS, fromS + 600, s => ({ POSITION: place(((s - fromS) * KMH) / 3.6), ...values(s - fromS) })),
  ignition(fromS + 600.001, false),
  ignition(fromS + 800, false),
]

/** By which share a length is wrong. */
const errorOf = (km: number, trueKm: number) => Math.abs(km / trueKm - 1)

describe.each([1, 2, 5, 10, 20, 60])('a speed that fixes %i s apart contradict', stepS => {
  test.each([
    ['of the receiver is 0 with each fix', () => ({ GPS_SPEED: 0 })],
    ['of the car is 0, beside that of the receiver', () => ({ GPS_SPEED: KMH, VEHICLE_SPEED_AVERAGE: 0 })],
    ['is in miles an hour', () => ({ VEHICLE_SPEED_AVERAGE: Math.round(KMH / KM_PER_MILE) })],
    ['is in metres a second', () => ({ VEHICLE_SPEED_AVERAGE: Math.round(KMH / 3.6) })],
    ['is in knots', () => ({ GPS_SPEED: Math.round(KMH / 1.852) })],
    ['is half', () => ({ GPS_SPEED: KMH / 2 })],
    ['is 15 % short', () => ({ GPS_SPEED: 0.85 * KMH })],
    ['is 0 from the middle on', (s: number) => ({ VEHICLE_SPEED_AVERAGE: s < 300 ? KMH : 0 })],
    ['is not reported from the middle on', (s: number) => (s < 300 ? { VEHICLE_SPEED_AVERAGE: KMH } : {})],
    ['repeats an old value', () => ({ VEHICLE_SPEED_AVERAGE: 25 })],
  ])('%s', (_, values) => expect(errorOf(kilometresOf(driven(0, stepS, values)), 10)).toBeLessThan(0.05))
})

it.each([1, 5, 10])('a speed that is too large for any road between fixes %i s apart does not count', stepS => {
  for (const factor of [1.6, 2, 3.6])
    expect(errorOf(kilometresOf(driven(0, stepS, () => ({ GPS_SPEED: factor * KMH }))), 10)).toBeLessThan(0.05)
})

it.each([1, 10, 20])(
  'a phone without ignition that reports 0 with each fix %i s apart: one trip, its length',
  stepS => {
    const drive = every(stepS, 0, 1200, s => ({ POSITION: place((s * KMH) / 3.6), GPS_SPEED: 0 }))
    const trips = tripsOf(drive)
    expect(trips).toHaveLength(1)
    expect(errorOf(kilometresOf(drive), 20)).toBeLessThan(0.03)
  },
)

it.each([10, 30, 60, 120])('fixes %i s apart are a lower bound on a winding road: a true speed counts', stepS => {
  // Bends of 300 m to either side.
  const wayAt = (s: number) => place(6 * s, 150 * Math.sin(s / 25))
  const mpsAt = (s: number) => Math.hypot(6, 6 * Math.cos(s / 25))
  const samples = [
    ignition(-1, true),
    ...every(stepS, 0, 1800, s => ({
      POSITION: wayAt(s),
      VEHICLE_SPEED_AVERAGE: meanKmh(mpsAt, s, stepS),
      VEHICLE_SPEED_MAX: 40,
    })),
    ignition(1801, false),
  ]
  let trueM = 0
  for (let s = 0; s < 1800; s++) trueM += mpsAt(s + 0.5)
  expect(errorOf(kilometresOf(samples), trueM / 1000)).toBeLessThan(0.05)
})

function meanKmh(mpsAt: (second: number) => number, s: number, stepS: number): number {
  let sum = 0
  for (let i = 0; i < stepS; i++) sum += mpsAt(s - i - 0.5)
  return (3.6 * sum) / stepS
}

test('a speed in miles an hour is known after two trips: in a tunnel it counts as such', () => {
  const mph = (s: number) => ({ VEHICLE_SPEED_AVERAGE: Math.round(KMH / KM_PER_MILE) + (s % 20) / 20 })
  const third = [
    ignition(8999, true),
    ...every(10, 9000, 9290, s => ({ POSITION: place(((s - 9000) * KMH) / 3.6), ...mph(s) })),
    ...every(10, 9300, 9600, mph),
    ignition(9601, false),
  ]
  const trips = tripsOf([...driven(0, 10, mph), ...driven(4000, 10, mph), ...third])
  expect(errorOf((trips[2]?.distanceM ?? 0) / 1000, 10)).toBeLessThan(0.03)
})

describe('a speed that is stuck after parking', () => {
  const parkedAt = 7300
  const drive = (stepS: number) =>
    every(stepS, 0, 720, s => ({
      POSITION: place((s / 720) * parkedAt),
      VEHICLE_SPEED_AVERAGE: s === 720 ? 57.6 : 36.5 + 5 * Math.sin(s),
    }))
  const places = {
    'no fix': () => ({}),
    'one and the same fix': () => ({ POSITION: place(parkedAt) }),
    'fixes around it': (s: number) => ({ POSITION: place(parkedAt + 5 * Math.sin(s), 5 * Math.cos(2.7 * s)) }),
  }
  it.each(Object.entries(places))('for half an hour with %s counts nothing', (_, fixAt) => {
    for (const stepS of [1, 10, 60]) {
      const stuck = every(stepS, 720 + stepS, 2520, s => ({ ...fixAt(s), VEHICLE_SPEED_AVERAGE: 57.6 }))
      const next = at(2520 + stepS, { POSITION: place(parkedAt + 100), VEHICLE_SPEED_AVERAGE: 57.6 })
      const parked = every(300, 3000, 6000, () => ({ POSITION: place(parkedAt + 100), VEHICLE_SPEED_AVERAGE: 0 }))
      expect(errorOf(kilometresOf([...drive(stepS), ...stuck]), 7.3)).toBeLessThan(0.05)
      expect(errorOf(kilometresOf([...drive(stepS), ...stuck, next, ...parked]), 7.3)).toBeLessThan(0.1)
    }
  })
})

describe('where fixes are missing or frozen, a speed that changes counts', () => {
  const kmhAt = (s: number) => 72 + 14.4 * Math.cos(s / 4)
  const xAt = (s: number) => 20 * s + 16 * Math.sin(s / 4)
  it.each([
    ['missing', () => ({})],
    ['frozen', () => ({ POSITION: place(xAt(300)) })],
    ['frozen, with a speed of 0', () => ({ POSITION: place(xAt(300)), GPS_SPEED: 0 })],
  ])('%s, through a tunnel of 13 minutes and at the end of a trip', (_, fixIn) => {
    const drive = (toS: number, lastSeenS: number) => [
      ignition(-1, true),
      ...every(10, 0, toS, s => ({
        ...(s > 300 && s <= lastSeenS ? fixIn() : { POSITION: place(xAt(s)) }),
        VEHICLE_SPEED_AVERAGE: kmhAt(s),
      })),
      ignition(toS + 1, false),
    ]
    expect(errorOf(kilometresOf(drive(1680, 1080)), 33.6)).toBeLessThan(0.03)
    expect(errorOf(kilometresOf(drive(900, 900)), 18)).toBeLessThan(0.03)
  })

  test('rounds in a garage between two fixes', () => {
    const samples = every(10, 0, 1200, s => {
      const isIn = s > 300 && s <= 480
      const x = s <= 300 ? 10 * s : 3000 + 10 * Math.max(0, s - 480)
      return { ...(isIn ? {} : { POSITION: place(x) }), VEHICLE_SPEED_AVERAGE: isIn ? 12 + (s % 20) / 5 : 36 }
    })
    expect(errorOf(kilometresOf([ignition(-1, true), ...samples, ignition(1201, false)]), 10.8)).toBeLessThan(0.03)
  })
})

test('noise of a standing car adds nothing, although its lines are longer than its speed', () => {
  const drive = every(10, 0, 300, s => ({ POSITION: place(10 * s), VEHICLE_SPEED_AVERAGE: 36 }))
  const stand = every(1, 301, 1500, s => ({
    POSITION: place(3000 + 60 * Math.sin(7 * s), 60 * Math.cos(11 * s)),
    VEHICLE_SPEED_AVERAGE: 0,
  }))
  expect(errorOf(kilometresOf([ignition(-1, true), ...drive, ...stand, ignition(1501, false)]), 3)).toBeLessThan(0.06)
})

it.each([
  ['hectometres', 10],
  ['metres', 1000],
  ['tenths', 0.1],
  ['miles', 1 / KM_PER_MILE],
  ['kilometres taken for miles', KM_PER_MILE],
])('an odometer in another unit %s: the last of six drives of 30 km is as long as its positions', (_, factor) => {
  for (const [kmh, stepS] of [
    [30, 25],
    [60, 10],
    [15, 10],
  ] as const) {
    const lastS = Math.floor(108_000 / kmh / stepS) * stepS
    const samples = Array.from({ length: 6 }, (__, day) => [
      ignition(day * 86_400 - 1, true),
      ...every(stepS, 0, lastS, s => {
        const km = (s * kmh) / 3600
        const odometer = (2000 + day * 30 + km) * factor
        return {
          POSITION: place(1000 * (day % 2 ? 30 - km : km)),
          GPS_SPEED: kmh,
          MILEAGE: Math.round(10 * odometer) / 10,
        }
      }).map(sample => ({ ...sample, timeMs: sample.timeMs + day * 86_400_000 })),
      ignition(day * 86_400 + lastS + 1, false),
    ]).flat()
    expect(errorOf((tripsOf(samples).at(-1)?.distanceM ?? 0) / 1000, 30)).toBeLessThan(0.03)
  }
})

test('the speed that counts nothing is named', () => {
  const [trip] = rangedTripsOf(driven(0, 10, () => ({ GPS_SPEED: 0 })))
  expect(trip?.contradictions).toEqual(['speed against positions'])
  expect(rangedTripsOf(driven(0, 10, () => ({ GPS_SPEED: KMH })))[0]?.contradictions).toEqual([])
})
