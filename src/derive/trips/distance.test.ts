import fc from 'fast-check'
import { expect, test } from 'vitest'
import { at, every, ignition, place, tripsOf } from '../../../test/trip-samples.ts'
import { distanceM } from './earth.ts'

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

test('really elsewhere: after three fixes that agree, the path goes on there, and the way is not counted', () => {
  const there = every(10, 310, 600, s => ({ POSITION: place(80_000 + 10 * s) }))
  const metres = metresOf([...eastward(0, 300), ...there], 600)
  expect(metres).toBeGreaterThan(5650)
  expect(metres).toBeLessThanOrEqual(6000)
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

test('a tunnel without odometer: a straight line, or the bends too when the car reports its speed', () => {
  const around = (s: number) => (s < 300 ? place(10 * s) : place(3000, 10 * (s - 300)))
  const isInTunnel = (s: number) => s > 200 && s < 400
  const drive = (withSpeed: boolean) =>
    every(10, 0, 600, s => ({
      ...(isInTunnel(s) ? { BATTERY_VOLTAGE: 14 } : { POSITION: around(s) }),
      ...(withSpeed ? { VEHICLE_SPEED_AVERAGE: 36 } : {}),
    }))
  expect(metresOf(drive(false), 600)).toBe(4000 + Math.round(Math.hypot(1000, 1000)))
  expect(metresOf(drive(true), 600)).toBe(6000)
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
  expect(trips).toMatchObject([{ distanceM: 6000 }])
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
  const idle = every(10, 0, 600, s => ({ POSITION: place(12 * Math.sin(s)), MILEAGE: 5000.005 }))
  expect(metresOf(idle, 600)).toBe(0)
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
