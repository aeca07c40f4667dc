import { expect, test } from 'vitest'
import { at, every, place, tripsOf } from '../../../test/trip-samples.ts'

const MINUTE_S = 60

/** How many seconds after the origin of the samples an instant is. */
const secondsOf = (timeMs: number | undefined) => ((timeMs ?? Number.NaN) - at(0, {}).timeMs) / 1000

/** A receiver that tells its speed, and a sensor of motion. */
const fix = (s: number, metres: number, kmh: number, northM = 0) =>
  at(s, { POSITION: place(metres, northM), GPS_SPEED: kmh, IS_MOVING: kmh > 5 })
const parked = (everyS: number, fromS: number, toS: number, metres: number) =>
  every(everyS, fromS, toS, () => ({ POSITION: place(metres), GPS_SPEED: 0, IS_MOVING: false }))

/** A receiver that tells where it is and nothing else. */
const bare = (s: number, metres: number, northM = 0) => at(s, { POSITION: place(metres, northM) })

/** Two minutes between records of a drive from 0 to `toS`, at 36 km/h. */
const driven = (toS: number) => every(120, 0, toS, s => ({ POSITION: place(10 * s), GPS_SPEED: 36, IS_MOVING: true }))

test('a record at the last light, before the one of the parked car beyond it, is not the end', () => {
  const drive = [...parked(240, -2640, -240, 0), ...driven(1200), fix(1320, 12_266, 0)]
  const [trip, ...others] = tripsOf([...drive, ...parked(240, 1560, 3600, 12_540)])
  expect(others).toEqual([])
  expect(secondsOf(trip?.endMs)).toBeGreaterThan(1320)
  expect(secondsOf(trip?.endMs)).toBeLessThan(1440)
})

test('a fix beyond the scatter of the last one is no end of its own: without another fix, the car had not arrived before it', () => {
  const light = fix(1260, 12_130, 0)
  const drive = [
    ...parked(240, -2640, -240, 0),
    ...every(60, 0, 1200, s => ({ POSITION: place(10 * s), GPS_SPEED: 36, IS_MOVING: true })),
    light,
  ]
  const inGarage = every(60, 1320, 3000, () => ({ IS_MOVING: false }))
  expect(tripsOf([...drive, ...inGarage])[0]?.endMs).toBe(light.timeMs)
})

test('a long tunnel right after the start belongs to the drive, however long the receiver has no fix', () => {
  const inTunnel = every(120, 0, 840, () => ({ IS_MOVING: true }))
  const trips = tripsOf([
    ...parked(240, -9840, -7440, -12_000),
    ...every(120, -7200, -6000, s => ({ POSITION: place(-12_000 + 10 * (s + 7200)), GPS_SPEED: 36, IS_MOVING: true })),
    ...parked(240, -5760, -240, 0),
    ...inTunnel,
    fix(960, 11_000, 40),
    fix(1080, 12_000, 40),
    ...parked(240, 1320, 3600, 12_600),
  ])
  expect(trips).toHaveLength(2)
  expect(secondsOf(trips[1]?.startMs)).toBeLessThan(2 * MINUTE_S)
})

test('a silence under way goes on while a sensor tells of motion and no fix of where', () => {
  const trips = tripsOf([
    ...parked(240, -2640, -240, 0),
    ...driven(1200),
    ...every(120, 1680, 2160, () => ({ IS_MOVING: true })),
    ...every(120, 2280, 3000, s => ({ POSITION: place(24_000 + 10 * (s - 2280)), GPS_SPEED: 36, IS_MOVING: true })),
    ...parked(240, 3240, 5400, 31_400),
  ])
  expect(trips).toHaveLength(1)
})

test('some km/h of a receiver that jitters do not lengthen the trip of a car whose sensor says that it stands', () => {
  const jitter = every(60, 1560, 2400, s => ({
    POSITION: place(12_900 + (s % 120 === 0 ? 75 : -60)),
    GPS_SPEED: 9,
    IS_MOVING: false,
  }))
  const [trip, ...others] = tripsOf([
    ...parked(240, -2640, -240, 0),
    ...driven(1200),
    fix(1320, 12_900, 0),
    ...jitter,
    ...parked(240, 3240, 5400, 12_900),
  ])
  expect(others).toEqual([])
  expect(secondsOf(trip?.endMs)).toBeLessThan(1440)
})

test('after hours without a fix, a car that is first seen a kilometre away left by half of the time that the way takes', () => {
  const trips = tripsOf([
    ...parked(120, -9840, -7440, -12_000),
    ...every(120, -7200, -6000, s => ({ POSITION: place(-12_000 + 10 * (s + 7200)), GPS_SPEED: 36, IS_MOVING: true })),
    ...every(240, -5760, -240, () => ({ IS_MOVING: false })),
    fix(0, 1200, 36),
    ...every(120, 120, 960, s => ({ POSITION: place(1200 + 10 * s), GPS_SPEED: 36, IS_MOVING: true })),
    ...parked(240, 1200, 3600, 12_000),
  ])
  expect(secondsOf(trips.at(-1)?.startMs)).toBe(-60)
})

test('fixes of a parked car that are farther apart than usual, but by less than anybody walks, are of one place', () => {
  const drive = [
    ...every(240, -2640, -240, () => ({ POSITION: place(0) })),
    ...every(60, 0, 1200, s => ({ POSITION: place(10 * s) })),
  ]
  const scattered = [
    bare(1260, 12_150),
    bare(1320, 12_150, 52),
    bare(1380, 12_205, 25),
    bare(1440, 12_150),
    ...every(60, 1500, 1800, () => ({ POSITION: place(12_150, 5) })),
  ]
  const [trip, ...others] = tripsOf([...drive, ...scattered])
  expect(others).toEqual([])
  expect(secondsOf(trip?.endMs)).toBeLessThan(1290)
})

test('a fix that the receiver repeats is no stay if no parked car would have come as far afterwards', () => {
  const trips = tripsOf([
    ...every(300, -3300, -300, () => ({ POSITION: place(0) })),
    ...every(300, 0, 1200, s => ({ POSITION: place(1000 + 20 * s) })),
    bare(1500, 25_000),
    bare(1800, 38_000),
    bare(2100, 44_000),
    ...every(300, 2400, 4200, () => ({ POSITION: place(46_000) })),
  ])
  expect(trips).toHaveLength(1)
})

test('after records that are missing, the last metres of a drive belong to it as well', () => {
  const way = (fromS: number, toS: number) => every(60, fromS, toS, s => ({ POSITION: place(10 * s) }))
  const samples = [...way(-6000, -4800), ...every(240, -4560, -240, () => ({ POSITION: place(-48_000) }))]
  const second = [0, 60, 120, 180, 360].map(s => bare(s, -48_000 + 7 * s))
  const after = every(240, 600, 3000, () => ({ POSITION: place(-48_000 + 7 * 390) }))
  const trip = tripsOf([...samples, ...second, ...after]).at(-1)
  expect(secondsOf(trip?.endMs)).toBeGreaterThanOrEqual(360)
  expect(secondsOf(trip?.endMs)).toBeLessThan(420)
})
