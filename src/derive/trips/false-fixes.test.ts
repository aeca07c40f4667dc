import { describe, expect, test } from 'vitest'
import type { Values } from '../../../test/sample-with.ts'
import { at, every, NOON_MS, place, tripsOf } from '../../../test/trip-samples.ts'
import { distanceM } from '../../model/earth.ts'
import type { Position, Sample } from '../../model/sample.ts'
import { positionsOf } from './route.ts'

type Others = Readonly<Record<number, Position>>

/** Positions only. Some of them are others, by their second. */
const fixes = (stepS: number, fromS: number, toS: number, where: (s: number) => Position, others: Others = {}) =>
  every(stepS, fromS, toS, s => ({ POSITION: others[s] ?? where(s) }))
/** On the road to the east at 10 m/s. */
const road = (s: number) => place(10 * s)
/** Fixes of a parked car, each some metres off another way. */
const around = (stepS: number, fromS: number, toS: number, eastM: number) =>
  fixes(stepS, fromS, toS, s => place(eastM + 9 * Math.sin(s), 9 * Math.cos(s)))

/** Parked, a drive of 20 minutes with a record every so many seconds, and parked again. */
const driveWith = (stepS: number, others: Others = {}) => [
  ...around(240, -4800, 0, 0),
  ...fixes(stepS, stepS, 1200, road, others),
  ...around(240, 1440, 4800, 12_000),
]
const isUntil =
  (toS: number) =>
  ({ timeMs }: Sample) =>
    timeMs <= NOON_MS + 1000 * toS

/** How far the line of each trip leads from the road at most. */
const farthestM = (samples: readonly Sample[]) =>
  tripsOf(samples).map(({ route }) => Math.max(...positionsOf(route.text).map(northM)))
const northM = (position: Position) => distanceM(position, { ...position, lat: place(0).lat })
const ON_THE_ROAD = expect.closeTo(0, -1.5)

const FAR = place(-20_000, -25_000)

test('a fix just after false ones that leads off the way is in no line', () => {
  const wayAround = { 720: place(7200, 1800) }
  expect(farthestM(driveWith(120, { 480: FAR, 600: FAR, ...wayAround }))).toEqual([ON_THE_ROAD])
  // A car may have gone there, and the receiver has not lied.
  expect(farthestM(driveWith(120, wayAround))).toEqual([expect.closeTo(1800, -1.5)])
})

test('a true fix is not dropped because the next one is false', () => {
  const others: Others = { 840: FAR, 960: place(-19_000, -24_000), 1080: place(-18_000, -23_000) }
  const driving = every(120, 0, 1440, s => ({
    IS_IGNITION_ON: true,
    VEHICLE_SPEED_AVERAGE: 90,
    POSITION: others[s] ?? place(25 * s),
  }))
  expect(farthestM(driving)).toEqual([ON_THE_ROAD])
  const trueOnes = driving.filter(({ timeMs }) => others[(timeMs - NOON_MS) / 1000] === undefined)
  expect(tripsOf(driving).map(({ fixCount }) => fixCount)).toEqual([trueOnes.length])
})

test('the very first fix gives way to two that agree where hardly any car came from it so fast', () => {
  const onFrom = (first: Position) => [
    at(0, { POSITION: first }),
    ...fixes(120, 960, 2400, road),
    ...around(240, 2640, 4800, 24_000),
  ]
  expect(farthestM(onFrom(place(-40_000, 5000)))).toEqual([ON_THE_ROAD])
  // A car could have come from here.
  expect(farthestM(onFrom(place(-5000, 5000)))).toEqual([expect.closeTo(5000, -1.5)])
})

test('false fixes that agree after a long silence give way when the car is back near where it was before', () => {
  const elsewhere = (s: number) => place(-40_000 - 5 * s, 40_000)
  const samples = [
    ...driveWith(60).filter(isUntil(1800)),
    ...fixes(60, 9000, 9060, () => place(12_700)).slice(0, 1),
    ...fixes(60, 9060, 9180, elsewhere),
    ...fixes(60, 9240, 9600, s => place(13_000 + 5 * (s - 9240))),
    ...around(240, 9840, 14_400, 15_000),
  ]
  expect(farthestM(samples)).toEqual([ON_THE_ROAD, ON_THE_ROAD])
})

test('out of a garage, a first fix to which the odometer knows no way is in no line, though none follows', () => {
  const driving = every(60, -1200, -60, s => ({ POSITION: place(10 * (s + 60)), MILEAGE: 5000.5 + (s + 60) / 100 }))
  const parked = every(240, 0, 7200, () => ({ MILEAGE: 5000.5 }))
  const onward = every(60, 7260, 7500, s => ({
    MILEAGE: 5000.5 + (s - 7200) / 100,
    ...(s === 7260 && { POSITION: FAR }),
  }))
  const trips = tripsOf([...driving, ...parked, ...onward, ...every(240, 7740, 14_400, () => ({ MILEAGE: 5003.5 }))])
  expect(trips).toHaveLength(2)
  for (const { route } of trips)
    for (const point of positionsOf(route.text)) expect(distanceM(point, FAR)).toBeGreaterThan(20_000)
})

describe('after two hours without a fix in a parked car that tells its speed, the first fix far away', () => {
  const driving = every(60, -1200, -60, s => ({ VEHICLE_SPEED_AVERAGE: 36, POSITION: place(10 * (s + 60)) }))
  const parked = every(240, 0, 7200, () => ({ VEHICLE_SPEED_AVERAGE: 0 }))
  const onward = (where: (s: number) => Position) =>
    every(10, 7260, 7800, s => ({ VEHICLE_SPEED_AVERAGE: 36, POSITION: where(s) }))
  const after = every(240, 8040, 14_400, () => ({ VEHICLE_SPEED_AVERAGE: 0 }))

  test('is in no line while the receiver repeats it', () => {
    const oldFixFirst = onward(s => (s < 7320 ? FAR : place(10 * (s - 7260))))
    const trips = farthestM([...driving, ...parked, ...oldFixFirst, ...after])
    expect(trips).toEqual([ON_THE_ROAD, ON_THE_ROAD])
  })

  test('is believed once others agree: the car was carried there', () => {
    const elsewhere = onward(s => ({ ...FAR, lon: FAR.lon + (s - 7260) * 0.0001 }))
    const trips = tripsOf([...driving, ...parked, ...elsewhere, ...after])
    expect(trips).toHaveLength(2)
    const line = positionsOf(trips[1]?.route.text ?? '')
    expect(line.length).toBeGreaterThan(1)
    for (const point of line) expect(distanceM(point, FAR)).toBeLessThan(6000)
  })
})

test.each([{}, { GPS_SPEED: 10 }])(
  'an exact receiver that begins to scatter in the parked car begins no drive',
  speed => {
    const scattered = every(10, 2010, 5600, s => {
      // 85 m to all sides, and back; once farther than a car must go that leaves.
      const awayM = s === 3610 ? 110 : s % 20 === 10 ? 85 : 0
      return { POSITION: place(12_000 + awayM * Math.cos(s), awayM * Math.sin(s)), ...speed }
    })
    const exact = fixes(10, 1210, 2000, () => place(12_000))
    expect(tripsOf([...driveWith(10).filter(isUntil(1200)), ...exact, ...scattered])).toHaveLength(1)
  },
)

test('a car that stood minutes ago is not believed to be where no road leads in that time, however long it is told', () => {
  const parked = every(240, -4800, 0, () => ({ POSITION: place(0), IS_IGNITION_ON: false }))
  const spoofed = every(60, 180, 420, s => ({ POSITION: place(34_000 + 5 * s), IS_IGNITION_ON: true }))
  const there = every(60, 480, 900, s => ({ POSITION: place(10 * (s - 60)), IS_IGNITION_ON: true }))
  const samples = [...parked, at(60, { IS_IGNITION_ON: true, POSITION: place(3) }), ...spoofed, ...there]
  const [trip] = tripsOf([...samples, at(930, { IS_IGNITION_ON: false })])
  expect(trip?.distanceM).toBeLessThan(10_000)
})

test('a single fix far from a parked car whose ignition is off draws no line, though a car could be back by the next one', () => {
  const parked = every(240, -4800, -240, () => ({ POSITION: place(0), IS_IGNITION_ON: false }))
  const far = at(0, { POSITION: place(3800), IS_IGNITION_ON: false })
  const drive = every(60, 240, 900, s => ({ POSITION: place(0, 10 * (s - 240)), IS_IGNITION_ON: true }))
  const [trip] = tripsOf([...parked, far, ...drive, at(930, { IS_IGNITION_ON: false })])
  expect(trip?.startMs).toBeGreaterThanOrEqual(at(240, {}).timeMs)
  expect(trip?.distanceM).toBeLessThan(7500)
})

test('false fixes of the first seconds do not keep the true ones away, however often they were told', () => {
  const parked = every(240, -7200, -3000, () => ({ POSITION: place(0), IS_IGNITION_ON: false }))
  const old = every(1, 0, 20, s => ({ POSITION: place(60_000, s / 10), IS_IGNITION_ON: true }))
  const drive = every(1, 21, 600, s => ({ POSITION: place(10 * s), IS_IGNITION_ON: true }))
  const [trip] = tripsOf([...parked, ...old, ...drive, at(630, { IS_IGNITION_ON: false })])
  expect(trip?.distanceM).toBeGreaterThan(5000)
  expect(trip?.distanceM).toBeLessThan(8000)
})

describe('false fixes that agree with each other are in no line', () => {
  const SPOOFED = (s: number) => place(15_000 + 10 * s, 15_000)
  const onRoad = expect.arrayContaining([ON_THE_ROAD])

  test('a minute after a car that had stood for hours drove off', () => {
    const parked = every(240, -4800, 0, () => ({ POSITION: place(0), IS_IGNITION_ON: false }))
    const driving = every(60, 60, 540, s => ({
      POSITION: s >= 120 && s <= 300 ? SPOOFED(s) : road(s),
      IS_IGNITION_ON: true,
    }))
    expect(farthestM([...parked, ...driving, at(545, { IS_IGNITION_ON: false })])).toEqual(onRoad)
  })

  test('after a night in a garage, once a fix showed where the car came out', () => {
    const onward = fixes(60, 30_000, 30_900, s => (s >= 30_060 && s <= 30_180 ? SPOOFED(s) : road(s - 30_000 + 1240)))
    const samples = [...driveWith(60).filter(isUntil(1200)), ...onward, ...around(240, 31_000, 34_000, 10_240)]
    expect(farthestM(samples)).toEqual([ON_THE_ROAD, ON_THE_ROAD])
  })

  test('though a car could have come there in the hours since it was last seen', () => {
    const onward = fixes(60, 9000, 9900, s => (s >= 9120 && s <= 9180 ? SPOOFED(s) : road(s - 9000 + 1900)))
    const samples = [...driveWith(60).filter(isUntil(1200)), ...onward, ...around(240, 10_000, 13_000, 28_000)]
    expect(farthestM(samples)).toEqual([ON_THE_ROAD, ON_THE_ROAD])
  })

  test('if the odometer counted on, but much less', () => {
    const parked = every(240, -480, 0, () => ({ POSITION: place(0), MILEAGE: 700.25 }))
    const driving = every(60, 60, 900, s => ({
      POSITION: s >= 120 && s <= 300 ? SPOOFED(s) : road(s),
      MILEAGE: 700.25 + s / 100,
    }))
    const after = every(240, 1140, 4000, () => ({ POSITION: place(9000), MILEAGE: 709.25 }))
    expect(farthestM([...parked, ...driving, ...after])).toEqual([ON_THE_ROAD])
  })
})

describe('every five minutes, one fix is far from where the car stood before and stands again', () => {
  const seen = (awayM: number) => fixes(300, -6000, 6000, s => place(s === 0 ? awayM : 5 * Math.sin(s)))

  test('no car was there if it had to be faster than in town, by straight lines', () => {
    expect(tripsOf(seen(3500))).toEqual([])
  })

  test('somebody drove there and back if there was time enough', () => {
    expect(tripsOf(seen(2500)).map(({ distanceM: metres }) => metres)).toEqual([expect.closeTo(5800, -3)])
  })
})

describe('a parked car is on no trip while its fixes are off now and then', () => {
  const night = (stepS: number, awayM: number, records: number, more: Values = {}) =>
    every(stepS, -18_000, 18_000, s => {
      const isAway = (s + 18_900) % 1800 < records * stepS
      return { ...more, POSITION: place(5 * Math.sin(s), isAway ? awayM * (-1) ** Math.floor((s + 18_900) / 1800) : 0) }
    })

  test.each([
    [10, 200, 1, {}],
    [60, 300, 2, {}],
    [120, 450, 2, {}],
    [60, 3000, 2, {}],
    [300, 450, 1, { MILEAGE: 5012 }],
    [10, 105, 1, { GPS_SPEED: 0 }],
    [60, 450, 4, { VEHICLE_SPEED_AVERAGE: 0 }],
    [60, 800, 6, { GPS_SPEED: 0 }],
    [300, 450, 3, { MILEAGE: 5012.3 }],
    [300, 2500, 4, { IS_MOVING: false }],
  ])('every %i s, by %i m, %i in a row, with %o', (stepS, awayM, records, more) => {
    expect(tripsOf(night(stepS, awayM, records, more))).toEqual([])
  })

  test('a third fix away, or a speed there, shows a drive', () => {
    expect(tripsOf(night(60, 450, 3)).length).toBeGreaterThan(10)
    const errand = (s: number) =>
      s === 0 || s === 60 ? { GPS_SPEED: 30, POSITION: place(450) } : { POSITION: place(0) }
    expect(tripsOf(every(60, -3600, 3600, errand))).toHaveLength(1)
  })
})

test('a fix to which the odometer knows no way is false, though the next one is false as well', () => {
  const told = (s: number) => ({ POSITION: road(s), MILEAGE: 100.5 + s / 100 })
  const samples = every(120, 0, 1200, s => ({
    ...told(s),
    ...(s === 480 && { POSITION: place(4800, 4000) }),
    ...(s === 600 && { POSITION: place(90_000, 90_000) }),
  }))
  const after = every(240, 1440, 4000, () => ({ POSITION: place(12_000), MILEAGE: 112.5 }))
  expect(farthestM([...samples, ...after])).toEqual([ON_THE_ROAD])
})

test('false fixes that begin while the car waits at a light cut no trip and are in no line, as long as it is not decided where it is', () => {
  // At 80 km/h, and for a minute at a light, before the receiver is deceived for four and a half minutes.
  const atLight = (s: number) => place(12_540 + (s - 570) / 30, 1)
  const way = (s: number) => (570 < s && s <= 630 ? atLight(s) : place(22 * Math.max(Math.min(s, 570), s - 60)))
  const deceived = (s: number) => place(-20_000 - 28 * (s - 660), -25_000)
  const drive = every(30, 30, 1800, s => ({ POSITION: 660 <= s && s <= 930 ? deceived(s) : way(s) }))
  const samples = [...around(240, -4800, 0, 0), ...drive, ...around(240, 2040, 4800, 38_280)]
  expect(farthestM(samples)).toEqual([ON_THE_ROAD])
})

test('an old fix that a receiver repeats after minutes of silence is in no line once the car is near where it was before', () => {
  const repeated = fixes(60, 3000, 3060, () => place(12_000, 20_000))
  const samples = [
    ...driveWith(30).filter(isUntil(1500)),
    ...repeated,
    ...fixes(60, 3120, 3600, s => place(12_600 + 10 * (s - 3120))),
    ...around(240, 3840, 7200, 17_400),
  ]
  expect(farthestM(samples)).toEqual([ON_THE_ROAD, ON_THE_ROAD])
})
