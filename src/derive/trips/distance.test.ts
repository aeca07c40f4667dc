import fc from 'fast-check'
import { expect, test } from 'vitest'
import { at, every, ignition, place, tripsOf } from '../../../test/trip-samples.ts'
import { distanceM } from '../../model/earth.ts'
import { positionsOf } from './route.ts'

/** Metres of the one trip in which these are read, between ignition on and off. */
function metresOf(samples: readonly ReturnType<typeof at>[], offS: number): number {
  const trips = tripsOf([ignition(-0.001, true), ...samples, ignition(offS + 0.001, false)])
  expect(trips).toHaveLength(1)
  return trips[0]?.distanceM ?? Number.NaN
}

const eastward = (fromS: number, toS: number, stepS = 10) =>
  every(stepS, fromS, toS, s => ({ POSITION: place(10 * s) }))

test('great-circle distances to 0.1 %', () => {
  // Half a meridian, a degree of the equator, and around the date line.
  expect(distanceM({ lon: 0, lat: 0 }, { lon: 0, lat: 90 })).toBeCloseTo(10_007_557, -1)
  expect(distanceM({ lon: 0, lat: 0 }, { lon: 1, lat: 0 })).toBeCloseTo(111_195, 0)
  expect(distanceM({ lon: 179.9, lat: 0 }, { lon: -179.9, lat: 0 })).toBeCloseTo(22_239, 0)
  const haversine = (a: { lon: number; lat: number }, b: { lon: number; lat: number }) => {
    const rad = Math.PI / 180
    const h =
      Math.sin(((b.lat - a.lat) * rad) / 2) ** 2 +
      Math.cos(a.lat * rad) * Math.cos(b.lat * rad) * Math.sin(((b.lon - a.lon) * rad) / 2) ** 2
    return 2 * 6_371_008.8 * Math.asin(Math.sqrt(h))
  }
  const near = fc.record({
    lon: fc.double({ min: -179, max: 179, noNaN: true }),
    lat: fc.double({ min: -85, max: 85, noNaN: true }),
    east: fc.double({ min: -0.5, max: 0.5, noNaN: true }),
    north: fc.double({ min: -0.5, max: 0.5, noNaN: true }),
  })
  fc.assert(
    fc.property(near, ({ lon, lat, east, north }) => {
      const to = { lon: lon + east, lat: lat + north }
      const expected = haversine({ lon, lat }, to)
      expect(Math.abs(distanceM({ lon, lat }, to) - expected)).toBeLessThanOrEqual(expected * 0.001 + 1e-6)
    }),
  )
})

test('a path around corners, at one fix a second', () => {
  // 200 m sides of a block at 10 m/s, ten corners.
  const corners = every(1, 0, 200, s => {
    const side = Math.floor(s / 20)
    const along = 10 * (s % 20)
    const x = 200 * Math.ceil(side / 2) + (side % 2 ? 0 : along)
    const y = 200 * Math.floor(side / 2) + (side % 2 ? along : 0)
    return { POSITION: place(x, y) }
  })
  expect(Math.abs(metresOf(corners, 200) / 2000 - 1)).toBeLessThan(0.01)
})

test.each([
  ['0,0', { lon: 0, lat: 0 }],
  ['near 0,0', { lon: 0.002, lat: -0.003 }],
  ['a latitude beyond the pole', { lon: 9.98, lat: 90.1 }],
  ['a teleport', place(80_000)],
])('a fix at %s adds nothing', (_, wrong) => {
  const samples = [...eastward(0, 300), at(305, { POSITION: wrong }), ...eastward(310, 600)]
  expect(metresOf(samples, 600)).toBe(6000)
})

test('the clock jumps, and fixes of two places are interleaved: only one path counts', () => {
  const samples = [...eastward(0, 600), ...every(10, 105, 305, s => ({ POSITION: place(-50_000 + 10 * s) }))].sort(
    (a, b) => a.timeMs - b.timeMs,
  )
  expect(metresOf(samples, 600)).toBe(6000)
})

const elsewhere = (fromS: number, toS: number) => every(10, fromS, toS, s => ({ POSITION: place(80_000 + 10 * s) }))

test('fixes from elsewhere in the middle of a drive: believed when they go on for ten minutes, and the way there is not counted', () => {
  const metres = metresOf([...eastward(0, 300), ...elsewhere(310, 1200)], 1200)
  expect(metres).toBeGreaterThan(11_650)
  expect(metres).toBeLessThanOrEqual(12_000)
  expect(metresOf([...eastward(0, 300), ...elsewhere(310, 800)], 800)).toBe(3000)
})

test('an excursion that returns was false: spoofing for five minutes leaves length and line alone', () => {
  const samples = [...eastward(0, 300), ...elsewhere(310, 610), ...eastward(620, 900)]
  const [trip] = tripsOf([ignition(-1, true), ...samples, ignition(901, false)])
  expect(Math.abs((trip?.distanceM ?? 0) / 9000 - 1)).toBeLessThan(0.06)
  expect(positionsOf(trip?.route.text ?? '').filter(({ lon }) => lon > place(10_000).lon)).toEqual([])
})

test.each([
  ['an old fix after a ferry', place(75_000)],
  ["a receiver's factory default", { lon: 113.95, lat: 22.54 }],
  ['latitude 0', { lon: 9.98, lat: 0 }],
  ['longitude 0', { lon: 0, lat: 48.4 }],
])('%s that holds for two minutes when a drive begins is neither its start nor on its line', (_, wrong) => {
  const held = every(10, 0, 120, () => ({ POSITION: wrong }))
  for (const before of [[], [at(-3600, { POSITION: place(0) })]]) {
    const samples = [...before, ignition(-1, true), ...held, ...eastward(130, 900), ignition(901, false)]
    const [trip] = tripsOf(samples)
    expect(distanceM(trip?.startPosition ?? wrong, place(0))).toBeLessThan(1600)
    expect(trip?.distanceM).toBeGreaterThan(7500)
    expect(trip?.distanceM).toBeLessThan(9300)
    for (const point of positionsOf(trip?.route.text ?? '')) expect(distanceM(point, wrong)).toBeGreaterThan(20_000)
  }
})

test('the car that came off a ferry is where its receiver says, once three fixes agree', () => {
  const parked = at(-7200, { POSITION: place(-3_000_000) })
  const [trip] = tripsOf([parked, ignition(-1, true), ...eastward(0, 600), ignition(601, false)])
  expect(trip?.startPosition).toEqual(place(0))
  expect(trip?.distanceM).toBe(6000)
})

test('a line across the antimeridian goes on beyond 180 degrees', () => {
  const at180 = (s: number) => ({ lon: s < 300 ? 180 - (300 - s) / 1e4 : -180 + (s - 300) / 1e4, lat: -16.8 })
  const [trip] = tripsOf([
    ignition(-1, true),
    ...every(10, 0, 600, s => ({ POSITION: at180(s) })),
    ignition(601, false),
  ])
  const lons = positionsOf(trip?.route.text ?? '').map(({ lon }) => lon)
  expect(Math.min(...lons)).toBeCloseTo(179.97, 4)
  expect(Math.max(...lons)).toBeCloseTo(180.03, 4)
})

test('drift while standing with the engine on does not add up', () => {
  const drift = (s: number) => place(3000 + 6 * Math.sin(s), 6 * Math.cos(s * 1.7))
  const samples = [...eastward(0, 300), ...every(1, 301, 1500, s => ({ POSITION: drift(s) }))]
  expect(metresOf(samples, 1500)).toBeLessThan(3030)
})

test('drift of forty metres does not add up when the car says that it stands', () => {
  const drift = (s: number) => place(3000 + 20 * Math.sin(s), 20 * Math.cos(s * 1.7))
  const samples = [...eastward(0, 300), ...every(1, 301, 1500, s => ({ POSITION: drift(s), VEHICLE_SPEED_AVERAGE: 0 }))]
  expect(metresOf(samples, 1500)).toBeLessThan(3060)
})

test('a tunnel without odometer: a road is longer than a straight line; by how much, the speed of the car tells', () => {
  const around = (s: number) => (s < 300 ? place(10 * s) : place(3000, 10 * (s - 300)))
  const isInTunnel = (s: number) => s > 200 && s < 400
  const drive = (withSpeed: boolean) =>
    every(10, 0, 600, s => ({
      ...(isInTunnel(s) ? { BATTERY_VOLTAGE: 14 } : { POSITION: around(s) }),
      ...(withSpeed ? { VEHICLE_SPEED_AVERAGE: 36 } : {}),
    }))
  expect(metresOf(drive(false), 600)).toBeGreaterThan(4000 + Math.hypot(1000, 1000))
  expect(metresOf(drive(false), 600)).toBeLessThan(6000)
  expect(Math.abs(metresOf(drive(true), 600) / 6000 - 1)).toBeLessThan(0.005)
})

test('the last way is as long, however rarely the parked dongle reports', () => {
  const drive = every(60, 0, 1200, s => ({ POSITION: place(10 * s) }))
  const lengthWith = (parkedS: number) => {
    const parked = every(parkedS, 1200 + parkedS, 3600, () => ({ POSITION: place(12_300) }))
    const [trip] = tripsOf([...drive, ...parked])
    return trip?.distanceM ?? Number.NaN
  }
  const soonM = lengthWith(60)
  expect(soonM).toBeGreaterThan(12_300)
  expect(Math.abs(lengthWith(240) - soonM)).toBeLessThan(20)
})

test('the stays before and after the first drive are no part of it, although nobody knows yet how often the dongle reports on a drive', () => {
  const parked = (fromS: number, toS: number, metres: number) =>
    every(300, fromS, toS, () => ({ POSITION: place(metres), GPS_SPEED: 0 }))
  const underWay = at(1500, { POSITION: place(1000), GPS_SPEED: 40 })
  const [trip] = tripsOf([...parked(0, 1200, 0), underWay, ...parked(1800, 3600, 2200)])
  expect(Math.abs((trip?.distanceM ?? 0) / 2200 - 1)).toBeLessThan(0.15)
})

test('into a garage: the last metres count by the speed of the car', () => {
  const samples = every(10, 0, 600, s => ({
    ...(s > 500 ? {} : { POSITION: place(10 * s) }),
    VEHICLE_SPEED_AVERAGE: 36,
  }))
  expect(metresOf(samples, 600)).toBe(6000)
})

test('out of a garage: the way from where the car stood counts, once there is a fix', () => {
  const parked = at(-3600, { POSITION: place(0) })
  const trips = tripsOf([parked, ignition(0, true), ...eastward(60, 600), ignition(600.001, false)])
  expect(Math.abs((trips[0]?.distanceM ?? 0) / 6000 - 1)).toBeLessThan(0.01)
})

test('without any fix, or before the first one, what the car reports of its speed counts', () => {
  const speed = (hasFix: (s: number) => boolean) =>
    every(10, 0, 600, s => ({ VEHICLE_SPEED_AVERAGE: 36, ...(hasFix(s) ? { POSITION: place(10 * s) } : {}) }))
  expect(
    metresOf(
      speed(() => false),
      600,
    ),
  ).toBe(6000)
  expect(
    metresOf(
      speed(s => s >= 300),
      600,
    ),
  ).toBe(6000)
})

test('the odometer counts, not the positions', () => {
  const samples = every(10, 0, 600, s => ({ POSITION: place(9 * s), MILEAGE: 5000.005 + s / 100 }))
  expect(metresOf(samples, 600)).toBe(6000)
  const [trip] = tripsOf([ignition(-1, true), ...samples, ignition(600.001, false)])
  expect(trip).toMatchObject({ odometerM: 6000, positionsM: 5400 })
})

test('at ends that the odometer does not cover, positions count', () => {
  const samples = every(10, 0, 600, s => ({
    POSITION: place(10 * s),
    ...(s >= 100 && s <= 500 ? { MILEAGE: 5000.005 + 1.1 * (s / 100) } : {}),
  }))
  expect(metresOf(samples, 600)).toBe(1000 + 4400 + 1000)
})

test('an odometer of whole kilometres: its digits say when, positions the rest', () => {
  const samples = every(10, 0, 660, s => ({ POSITION: place(10 * s), MILEAGE: Math.floor(5000.7 + s / 100) }))
  expect(Math.abs(metresOf(samples, 660) - 6600)).toBeLessThan(120)
})

test('an odometer of whole kilometres without positions: its difference', () => {
  const samples = every(10, 0, 660, s => ({ MILEAGE: Math.floor(5000.7 + s / 100) }))
  expect(metresOf(samples, 660)).toBe(7000)
})

test.each([
  ['is reset', 0],
  ['runs backwards', 4990],
  ['leaps', 9000],
])('an odometer that %s: positions count across the jump', (_, then) => {
  const samples = every(10, 0, 600, s => ({
    POSITION: place(10 * s),
    MILEAGE: s <= 300 ? 5000.005 + s / 100 : then + 0.005 + (s - 300) / 100,
  }))
  expect(metresOf(samples, 600)).toBe(6000)
})

test('an odometer that stays the same: the car only drifts, unless it goes so far that the odometer is stuck', () => {
  const idle = every(10, 310, 900, s => ({ POSITION: place(3000 + 12 * Math.sin(s)), MILEAGE: 5003.005 }))
  const drive = every(10, 0, 300, s => ({ POSITION: place(10 * s), MILEAGE: 5000.005 + s / 100 }))
  expect(metresOf([...drive, ...idle], 900)).toBe(3000)
  const stuck = every(10, 0, 600, s => ({ POSITION: place(10 * s), MILEAGE: 5000.005 }))
  expect(metresOf(stuck, 600)).toBe(6000)
})

test('an odometer that moves by a kilometre at a time but has a fraction does not jump', () => {
  const samples = every(10, 0, 660, s => ({ MILEAGE: Math.floor(5000.7 + s / 100) + 0.3 }))
  expect(metresOf(samples, 660)).toBe(7000)
})

test('the greatest speed of an interval is no length', () => {
  expect(
    metresOf(
      every(10, 0, 600, () => ({ VEHICLE_SPEED_MAX: 36 })),
      600,
    ),
  ).toBe(0)
})

test('one wrong reading of the odometer does not add its leap', () => {
  const samples = every(10, 0, 600, s => ({
    POSITION: place(10 * s),
    MILEAGE: s === 300 ? 65_535 : 5000.005 + s / 100,
  }))
  expect(metresOf(samples, 600)).toBe(6000)
})

test('noise of some metres at one fix a second stays below three percent', () => {
  let seed = 1
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed / 2_147_483_647 - 0.5
  }
  const samples = every(1, 0, 600, s => ({ POSITION: place(14 * s + 5 * random(), 5 * random()) }))
  expect(Math.abs(metresOf(samples, 600) / 8400 - 1)).toBeLessThan(0.03)
})

test.each([15, 20])(
  'fixes %i s apart, with speeds that change between them: neither chord nor speed counts whenever it is the longer one',
  stepS => {
    // From light to light: the way and its speed at an instant, in metres and seconds.
    const wayM = (s: number) => 12 * s - 36 * Math.cos(s / 6) + 36
    const speedMps = (s: number) => 12 + 6 * Math.sin(s / 6)
    const samples = every(stepS, 0, 1800, s => ({ POSITION: place(wayM(s)), GPS_SPEED: 3.6 * speedMps(s) }))
    const lengths = samples.slice(1).map((_, i) => {
      const [fromS, toS] = [i * stepS, (i + 1) * stepS]
      return { chordM: wayM(toS) - wayM(fromS), speedM: ((speedMps(fromS) + speedMps(toS)) / 2) * stepS }
    })
    const longerM = lengths.reduce((sum, { chordM, speedM }) => sum + Math.max(chordM, speedM), 0)
    expect(longerM / wayM(1800)).toBeGreaterThan(1.02)
    expect(Math.abs(metresOf(samples, 1800) / wayM(1800) - 1)).toBeLessThan(0.02)
  },
)
