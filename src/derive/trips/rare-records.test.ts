import { expect, test } from 'vitest'
import { at, every, place, told, tripsOf } from '../../../test/trip-samples.ts'

/** A receiver that tells its speed: where the car is, in metres eastwards, and how fast. */
const fix = (s: number, metres: number, kmh: number) =>
  at(s, { POSITION: place(metres), GPS_SPEED: kmh, IS_MOVING: kmh > 5 })

/** A record of a parked car every so often. */
const parked = (everyS: number, fromS: number, toS: number, metres: number) =>
  every(everyS, fromS, toS, () => ({ POSITION: place(metres), GPS_SPEED: 0, IS_MOVING: false }))

/** A drive with a record a minute, from which the interval is learnt. */
const aDriveBefore = [
  ...parked(240, -9600, -8400, 0),
  ...every(60, -8340, -7200, s => ({ POSITION: place(10 * (s + 8400)), GPS_SPEED: 36, IS_MOVING: true })),
  ...parked(240, -7140, -240, 12_000),
].sort((a, b) => a.timeMs - b.timeMs)

test('the first drive of a dongle is not cut for intervals that are those of the parked car', () => {
  const trips = tripsOf([
    ...parked(300, 0, 1500, 0),
    fix(1800, 600, 40),
    // 100 m in five minutes, with a light between them: no displacement of a car that drives.
    fix(2100, 700, 20),
    fix(2400, 5000, 60),
    ...parked(300, 2700, 4200, 8000),
  ])
  expect(trips.map(told)).toMatchObject([{ opened: 'motion', closed: 'no motion' }])
})

test('words of the engine between two records of a hybrid do not make a single missing record a silence', () => {
  const atRest = (fromS: number, toS: number, metres: number) =>
    every(300, fromS, toS, () => ({ POSITION: place(metres), VEHICLE_SPEED_AVERAGE: 0, ENGINE_STATE: false }))
  const trips = tripsOf(
    [
      ...atRest(0, 900, 0),
      ...every(300, 1200, 3000, s => ({ POSITION: place(10 * (s - 900)), VEHICLE_SPEED_AVERAGE: 36 })),
      ...[1290, 1590, 1890, 2190, 2490, 2790].flatMap(s => [
        at(s, { ENGINE_STATE: true }),
        at(s + 12, { ENGINE_STATE: false }),
      ]),
      ...atRest(3300, 4800, 22_000),
      // The record of 5100 is missing.
      ...atRest(5400, 6600, 22_000),
    ].sort((a, b) => a.timeMs - b.timeMs),
  )
  expect(trips.map(told)).toMatchObject([{ closed: 'no motion' }])
})

test('what was under way before a silence of minutes and is far away after it is one drive', () => {
  const trips = tripsOf([
    ...aDriveBefore,
    fix(0, 12_020, 28),
    fix(420, 15_000, 40),
    ...every(60, 480, 1200, s => ({ POSITION: place(15_000 + 10 * (s - 420)), GPS_SPEED: 36, IS_MOVING: true })),
    ...parked(240, 1260, 2700, 23_000),
  ])
  expect(trips.slice(1).map(told)).toMatchObject([{ from: 0 }])
})

test('a record at a light, after a silence or between two rare ones, ends no trip', () => {
  const afterSilence = tripsOf([
    ...aDriveBefore,
    ...every(60, 0, 240, s => ({ POSITION: place(12_200 + 10 * s), GPS_SPEED: 36, IS_MOVING: true })),
    fix(660, 16_500, 0),
    fix(720, 17_000, 40),
    ...every(60, 780, 1200, s => ({ POSITION: place(17_000 + 10 * (s - 720)), GPS_SPEED: 36, IS_MOVING: true })),
    ...parked(240, 1260, 2700, 21_800),
  ])
  expect(afterSilence.slice(1).map(told)).toMatchObject([{ closed: 'no motion' }])
  const rare = tripsOf([
    ...parked(300, -3000, -300, 0),
    fix(0, 2000, 40),
    fix(300, 6000, 50),
    fix(600, 7000, 0),
    // The receiver has no fix, so nothing tells how far it came.
    at(900, { IS_MOVING: true }),
    fix(1200, 13_000, 50),
    ...parked(300, 1500, 3000, 15_000),
  ])
  expect(rare.map(told)).toHaveLength(1)
})

test('whoever stands, and has no fix from then on, came to the end of its way no earlier than it was told', () => {
  const drive = every(60, 0, 600, s => ({ POSITION: place(12_200 + 10 * s), GPS_SPEED: 36, IS_MOVING: true }))
  const light = fix(660, 18_400, 0)
  const inGarage = every(60, 720, 1800, () => ({ IS_MOVING: false }))
  expect(tripsOf([...aDriveBefore, ...drive, light, ...inGarage]).at(-1)).toMatchObject({ endMs: light.timeMs })
  // Where it is told to stand there once more, the way tells when it came.
  const stands = parked(240, 720, 1800, 18_400)
  expect(tripsOf([...aDriveBefore, ...drive, light, ...stands]).at(-1)?.endMs).toBeLessThan(light.timeMs)
})

test('a car did not come to its end before a record that tells of its motion', () => {
  const drive = every(60, 0, 300, s => ({ POSITION: place(12_200 + 10 * s), GPS_SPEED: 36, IS_MOVING: true }))
  const moving = at(420, { IS_MOVING: true })
  const trips = tripsOf([...aDriveBefore, ...drive, moving, fix(480, 15_700, 0), ...parked(240, 540, 1800, 15_700)])
  expect(trips.at(-1)?.endMs).toBeGreaterThanOrEqual(moving.timeMs)
})

test('a single record elsewhere that a drive confirms is the start of it, however long the silence between them', () => {
  const trips = tripsOf([
    ...parked(300, -6000, -300, 0),
    fix(0, 2000, 40),
    fix(300, 5000, 40),
    ...parked(300, 600, 3600, 7000),
    fix(3900, 7720, 0),
    fix(5100, 20_000, 50),
    fix(5400, 24_000, 50),
    ...parked(300, 5700, 7200, 25_000),
  ])
  expect(trips).toHaveLength(2)
  expect(trips[1]?.startMs).toBeLessThan(at(3900, {}).timeMs)
})

test('slow first metres belong to the drive: an odometer that counts on a little before it', () => {
  const counts = (s: number, km: number) => at(s, { MILEAGE: km })
  const drive = every(60, 240, 1200, s => ({ MILEAGE: 1001.2 + (s - 240) / 100 }))
  const after = every(240, 1260, 2700, () => ({ MILEAGE: 1010.8 }))
  const before = [...every(60, -9000, -8000, s => ({ MILEAGE: 900 + (s + 9000) / 100 })), counts(-4000, 1000)]
  const trips = tripsOf([...before, counts(-120, 1001), counts(60, 1001.2), counts(180, 1001.2), ...drive, ...after])
  expect(trips.at(-1)?.startMs).toBeLessThanOrEqual(at(60, {}).timeMs)
})

/** A record every two minutes with a position, and what the odometer shows where it is told. */
const rare = (s: number, metres: number, km?: number) =>
  at(s, { POSITION: place(metres), ...(km !== undefined && { MILEAGE: km }) })
const rareDrive = [
  ...every(240, -2400, -240, () => ({ POSITION: place(0), MILEAGE: 1000 })),
  ...every(120, 0, 1200, s => ({ POSITION: place(8 * s), MILEAGE: 1000 + (8 * s) / 1000 })),
]

test('a car had not come to its end while its odometer still counted', () => {
  const inGarage = [at(1440, { MILEAGE: 1009.9 }), ...every(240, 1680, 3600, () => ({ MILEAGE: 1009.9 }))]
  expect(tripsOf([...rareDrive, ...inGarage]).at(-1)?.endMs).toBeGreaterThanOrEqual(at(1200, {}).timeMs)
})

test('a drive between two records takes as long as its way does in town', () => {
  const stands = every(240, 1320, 3600, () => ({ POSITION: place(9600), MILEAGE: 1009.6 }))
  const there = every(240, 3840, 6000, () => ({ POSITION: place(10_800), MILEAGE: 1010.8 }))
  const [, trip] = tripsOf([...rareDrive, ...stands, ...there])
  expect(trip?.distanceM).toBeGreaterThan(1000)
  expect((trip?.endMs ?? 0) - (trip?.startMs ?? 0)).toBeGreaterThan(60_000)
})

test('a silence goes on while all that is told is a place that is not believed', () => {
  const drive = (fromS: number, toS: number, fromM: number) =>
    every(120, fromS, toS, s => ({ POSITION: place(fromM + 10 * (s - fromS)) }))
  const parkedAt = (fromS: number, metres: number) =>
    every(240, fromS, fromS + 2400, () => ({ POSITION: place(metres) }))
  const trips = tripsOf([
    ...parkedAt(-2640, 0),
    ...drive(0, 1200, 0),
    rare(2040, 9_000_000),
    ...drive(2160, 3000, 21_000),
    ...parkedAt(3240, 29_400),
  ])
  expect(trips).toHaveLength(1)
  const [ended, ...others] = tripsOf([
    ...parkedAt(-2640, 0),
    ...drive(0, 1200, 0),
    rare(2040, 9_000_000),
    ...parkedAt(2160, 12_000),
  ])
  expect(others).toEqual([])
  expect(ended?.endMs).toBe(at(1200, {}).timeMs)
})

test('a silence goes on while the car drives at a place that is not believed: the next fix shows where it went meanwhile', () => {
  const drive = (fromS: number, toS: number, fromM: number) =>
    every(120, fromS, toS, s => ({
      POSITION: place(fromM + 10 * (s - fromS)),
      VEHICLE_SPEED_AVERAGE: 36,
      GPS_SPEED: 36,
    }))
  const parkedAt = (fromS: number, metres: number) =>
    every(240, fromS, fromS + 2400, () => ({ POSITION: place(metres), GPS_SPEED: 0 }))
  const falseFix = at(2040, { POSITION: place(9_000_000), VEHICLE_SPEED_AVERAGE: 36, GPS_SPEED: 36 })
  const before = [...parkedAt(-2640, 0), ...drive(0, 1200, 0), falseFix]
  const on = tripsOf([...before, ...drive(2160, 3000, 21_000), ...parkedAt(3240, 29_400)])
  expect(on).toHaveLength(1)
  expect(on[0]?.distanceM).toBeGreaterThan(27_000)
})

test('a hybrid is known by the one record of its first drive, so a drive that fixes alone show is one', () => {
  const atRest = (fromS: number, toS: number, metres: number) =>
    every(300, fromS, toS, () => ({ POSITION: place(metres), GPS_SPEED: 0, ENGINE_STATE: false }))
  const drivesWith = (values: { readonly GPS_SPEED: number; readonly VEHICLE_SPEED_AVERAGE?: number }) =>
    tripsOf([
      ...atRest(0, 1200, 0),
      at(1500, { POSITION: place(1000), ENGINE_STATE: false, ...values }),
      ...atRest(1800, 5100, 2200),
      ...atRest(5400, 7200, 0),
    ])
  expect(drivesWith({ VEHICLE_SPEED_AVERAGE: 30, GPS_SPEED: 40 })).toHaveLength(2)
  // Any car may have just arrived and stopped its engine: what it tells is the mean since the record before.
  expect(drivesWith({ VEHICLE_SPEED_AVERAGE: 30, GPS_SPEED: 0 })).toHaveLength(1)
  // Somebody tows it.
  expect(drivesWith({ GPS_SPEED: 40 })).toHaveLength(0)
})
