import { describe, expect, test } from 'vitest'
import { at, every, ignition, place, tripsOf } from '../../../test/trip-samples.ts'
import { distanceM } from '../../model/earth.ts'
import type { Sample } from '../../model/sample.ts'
import { positionsOf } from './route.ts'

const ON_THE_ROAD = expect.closeTo(0, -1.5)

/** How far the line of each trip leads from the road to the east at most. */
const farthestM = (samples: readonly Sample[]) =>
  tripsOf(samples).map(({ route }) =>
    Math.max(...positionsOf(route.text).map(point => distanceM(point, { ...point, lat: place(0).lat }))),
  )

/** From there on at 10 m/s, and where a deceived receiver is meanwhile. */
const road = (s: number) => place(10 * s)
const deceived = (s: number) => place(10 * s, 15_000)

describe('three false fixes in a row are in no line although the car could have come there from where it was before', () => {
  test('if that is no farther from them than where it is now', () => {
    const parked = every(240, -4800, -1680, () => ({ POSITION: place(-800), IS_IGNITION_ON: false }))
    const carried = every(240, 240, 480, () => ({ POSITION: place(0), IS_IGNITION_ON: false }))
    const drive = every(60, 560, 860, s => ({
      POSITION: 620 <= s && s <= 740 ? deceived(s - 555) : road(s - 555),
      IS_IGNITION_ON: true,
      GPS_SPEED: 36,
    }))
    const after = every(240, 1000, 4000, () => ({ POSITION: road(320), IS_IGNITION_ON: false }))
    const samples = [...parked, ...carried, ignition(500, true), ...drive, ignition(870, false), ...after]
    expect(farthestM(samples)).toEqual([ON_THE_ROAD])
  })

  test('if it was there minutes ago only, and has driven on from there', () => {
    const before = every(60, -8000, -6800, s => ({ POSITION: road(s + 6800) }))
    const parked = every(240, -6560, -240, s => ({ POSITION: place(9 * Math.sin(s), 9 * Math.cos(s)) }))
    // The second record of the drive is missing.
    const way = [0, 180, 240, 300, 360, 420, 480, 540, 600].map(s => at(s, { POSITION: road(s) }))
    const false4 = every(60, 660, 840, s => ({ POSITION: place(2000 + s, 5000) }))
    const onward = every(60, 900, 1500, s => ({ POSITION: road(s) }))
    const after = every(240, 1740, 4800, () => ({ POSITION: road(1500) }))
    expect(farthestM([...before, ...parked, ...way, ...false4, ...onward, ...after])).toEqual([
      ON_THE_ROAD,
      ON_THE_ROAD,
    ])
  })
})

describe('after hours without a fix, a drive of minutes that begins with old fixes', () => {
  const parkedWith = (km: number, fromS: number, toS: number) =>
    every(240, fromS, toS, () => ({ IS_IGNITION_ON: false, MILEAGE: km }))
  const seen = every(240, -9600, -7500, () => ({ POSITION: place(0), IS_IGNITION_ON: false, MILEAGE: 700.2 }))
  /** From one garage to another, without a fix. */
  const blind = [
    ignition(-3660, true, { MILEAGE: 700.2 }),
    ignition(-3600, true, { MILEAGE: 700.7 }),
    ignition(-3540, false, { MILEAGE: 701.2 }),
  ]
  const FAR = place(1000, 30_000)
  const lineOfLast = (samples: readonly Sample[]) => farthestM(samples).at(-1)

  test('leads nowhere that the odometer does not, whatever the car drove meanwhile without a fix', () => {
    const drive = [
      ignition(0, true, { MILEAGE: 701.2 }),
      at(70, { IS_IGNITION_ON: true, POSITION: FAR, MILEAGE: 701.8, VEHICLE_SPEED_AVERAGE: 30, IS_MOVING: true }),
      at(130, { IS_IGNITION_ON: false, POSITION: place(2200), MILEAGE: 702.4 }),
    ]
    const after = every(240, 300, 3900, () => ({ POSITION: place(2200), IS_IGNITION_ON: false, MILEAGE: 702.4 }))
    const samples = [
      ...seen,
      ...parkedWith(700.2, -7260, -3800),
      ...blind,
      ...parkedWith(701.2, -3300, -120),
      ...drive,
      ...after,
    ]
    expect(lineOfLast(samples)).toEqual(ON_THE_ROAD)
  })

  test('is not where two of them say that it was, of which the odometer refutes the second', () => {
    const told = (s: number) => ({ MILEAGE: 700.2 + Math.max(0, s - 10) / 100 })
    const samples = [
      ...seen.map(({ timeMs }) => at((timeMs - at(0, {}).timeMs) / 1000, { POSITION: place(0), MILEAGE: 700.2 })),
      ...every(240, -7260, -60, told),
      ...every(10, 10, 40, s => ({ POSITION: FAR, ...told(s) })),
      ...every(10, 50, 200, s => ({ POSITION: place(10 * (s - 10)), ...told(s) })),
      ...every(240, 440, 3900, () => ({ POSITION: place(1900), ...told(200) })),
    ]
    expect(farthestM(samples)).toEqual([ON_THE_ROAD])
  })

  test.each([true, false])('comes back from where a deceived receiver was for minutes, odometer: %s', hasOdometer => {
    const drive = every(60, 60, 300, s => ({
      POSITION: s <= 240 ? place(1000 + 8 * Math.max(s, 120), 20_000) : place(300 + 8 * s),
      ...(hasOdometer && { MILEAGE: 700.2 + s / 125 }),
      IS_IGNITION_ON: true,
      VEHICLE_SPEED_AVERAGE: 29,
    }))
    const after = every(240, 540, 3900, () => ({ POSITION: place(2700), IS_IGNITION_ON: false, MILEAGE: 702.6 }))
    const samples = [...seen, ...parkedWith(700.2, -7260, -120), ignition(0, true), ...drive]
    expect(lineOfLast([...samples, ignition(301, false, { POSITION: place(2700) }), ...after])).toEqual(ON_THE_ROAD)
  })

  test('is not where a receiver repeats that it was, though only every other record tells that the car drives', () => {
    const old = every(10, 20, 100, s => ({
      POSITION: FAR,
      GPS_SPEED: 0,
      ...(s % 20 === 10 && { VEHICLE_SPEED_AVERAGE: 25 }),
    }))
    const true2 = [110, 120].map(s => at(s, { POSITION: place(10 * (s - 100)), GPS_SPEED: 0 }))
    const parked = every(240, -7260, -120, () => ({ IS_IGNITION_ON: false }))
    const samples = [...seen, ...parked, ignition(0, true), ...old, ...true2, at(121, { IS_DONGLE_PLUGGED_IN: false })]
    expect(lineOfLast(samples)).toEqual(ON_THE_ROAD)
  })
})

test('after a fix that the receiver held, the odometer tells when the car arrived', () => {
  const told = (s: number) => ({ MILEAGE: 500.25 + Math.min(s, 500) / 50 })
  const parked = every(240, -4800, 0, () => ({ POSITION: place(0), MILEAGE: 500.25 }))
  const drive = every(120, 120, 480, s => ({ POSITION: place(20 * Math.min(s, 240)), ...told(s) }))
  const after = every(240, 720, 4800, s => ({ POSITION: place(10_000), ...told(s) }))
  const [trip] = tripsOf([...parked, ...drive, ...after])
  expect(((trip?.endMs ?? 0) - at(500, {}).timeMs) / 1000).toBeCloseTo(0, -2)
})
