import { expect, test } from 'vitest'
import { at, every, place, told, tripsOf } from '../../../test/trip-samples.ts'

/** A position every second, and nothing else. */
const fixes = (fromS: number, toS: number, metresAt: (s: number) => number) =>
  every(1, fromS, toS, s => ({ POSITION: place(metresAt(s)) }))
/** A sign of life of the parked car every four minutes. */
const parked = (fromS: number, toS: number, metres: number) =>
  every(240, fromS, toS, () => ({ POSITION: place(metres) }))
const standing = (fromS: number, toS: number, metres: number) => fixes(fromS, toS, () => metres)
const driving = (fromS: number, toS: number, fromM: number) => fixes(fromS, toS, s => fromM + 10 * (s - fromS))

const aDrive = [...parked(-2400, -240, 0), ...driving(0, 300, 0)]

test('the last 110 metres after a red light belong to the drive', () => {
  const trips = tripsOf([
    ...aDrive,
    ...standing(301, 380, 3000),
    ...driving(381, 392, 3000),
    ...parked(600, 3000, 3110),
  ])
  expect(trips.map(told)).toMatchObject([{ from: expect.closeTo(0, -1), to: expect.closeTo(392, -1) }])
})

test('nor do they end when the car is in a garage after them, and no fix comes any more', () => {
  const [trip] = tripsOf([...aDrive, ...standing(301, 380, 3000), ...driving(381, 392, 3000)])
  expect(trip && told(trip)).toMatchObject({ to: 392 })
})

test('fixes of a parked car that drifted out of its place minutes before hide no drive', () => {
  const drifted = at(720, { POSITION: place(3060) })
  const second = driving(900, 930, 3010)
  const trips = tripsOf([...aDrive, ...parked(480, 600, 3000), drifted, ...second, ...parked(1200, 3600, 3310)])
  expect(trips.map(told)).toMatchObject([{ to: expect.closeTo(300, -1) }, { to: expect.closeTo(930, -1) }])
  expect(Math.abs((trips[1]?.startMs ?? 0) - (second[0]?.timeMs ?? 0))).toBeLessThan(15_000)
})

test('a silence of minutes that begins at a red light, and after which the car is elsewhere, cuts no drive', () => {
  const waits = standing(301, 375, 3000)
  const trips = tripsOf([...aDrive, ...waits, ...driving(735, 900, 6000), ...parked(1200, 3600, 7650)])
  expect(trips.map(told)).toMatchObject([{ to: 900 }])
})

test('one during which the car was parked does', () => {
  const stands = [...standing(301, 375, 3000), ...parked(480, 960, 3000)]
  expect(tripsOf([...aDrive, ...stands, ...driving(1500, 1700, 6000), ...parked(1920, 3600, 8000)])).toHaveLength(2)
})

test('a receiver whose fixes scatter by 60 m around a parked car begins no drive', () => {
  const scattered = every(1, 540, 2400, s => ({
    POSITION: place(3000 + 60 * Math.sin(s * s), 60 * Math.cos(s * s) * Math.sin(s)),
  }))
  expect(tripsOf([...aDrive, ...standing(301, 310, 3000), ...scattered, ...parked(2640, 4800, 3000)])).toHaveLength(1)
})
