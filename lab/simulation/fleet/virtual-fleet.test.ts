import { expect, test } from 'vitest'
import { luhnCheckDigit } from '../../../src/catalogue/vehicles-and-dongles.ts'
import { virtualFleet } from './virtual-fleet.ts'

const none = new Set<never>()

test('the same options give the same fleet, and more vehicles leave the first ones as they are', () => {
  const twelve = virtualFleet({ vehicles: 12, seed: 7, faults: none })
  expect(virtualFleet({ vehicles: 12, seed: 7, faults: none })).toEqual(twelve)
  expect(virtualFleet({ vehicles: 40, seed: 7, faults: none }).slice(0, 12)).toEqual(twelve)
  expect(virtualFleet({ vehicles: 12, seed: 8, faults: none })).not.toEqual(twelve)
})

test('dongles and cars of ten thousand, and of other seeds, are told apart by well-formed IMEIs and VINs', () => {
  const dongles = [1, 2].flatMap(seed => virtualFleet({ vehicles: 10_000, seed, faults: none }))
  expect(new Set(dongles.map(({ dongle }) => dongle.deviceId)).size).toBe(20_000)
  expect(new Set(dongles.map(({ cars }) => cars[0].car.vin)).size).toBe(20_000)
  for (const { dongle, cars } of dongles.slice(0, 300)) {
    const imei = String(dongle.deviceId)
    expect(String(luhnCheckDigit(imei.slice(0, -1)))).toBe(imei.at(-1))
    expect(cars[0].car.vin).toMatch(/^[A-HJ-NPR-Z0-9]{17}$/)
  }
})

test('chosen kinds come in turns, at the chosen interval, and in cars that fit', () => {
  const dongles = ['hybrid', 'phone', 'odometer'] as const
  const fleet = virtualFleet({ vehicles: 12, seed: 7, faults: none, dongles, intervalS: 120 })
  expect(fleet.slice(0, 4).map(({ kind }) => kind)).toEqual(['hybrid', 'phone', 'odometer', 'hybrid'])
  for (const { kind, dongle, cars } of fleet) {
    expect(dongle.intervals.stepMs).toBe(120_000)
    expect(cars[0].car.isHybrid ?? false).toBe(kind === 'hybrid')
  }
  const hybrids = fleet.filter(({ kind }) => kind === 'hybrid')
  expect(hybrids.every(({ cars }) => cars[0].car.engine === 'combustion')).toBe(true)
  // Who drives where and what is the same whatever the dongle; but hybrids are no electric cars.
  const usual = virtualFleet({ vehicles: 12, seed: 7, faults: none })
  expect(fleet.map(({ cars }) => cars[0].home)).toEqual(usual.map(({ cars }) => cars[0].home))
})

test('some cars have a second dongle of another kind, and the others are as without', () => {
  const usual = virtualFleet({ vehicles: 12, seed: 7, faults: none })
  const fleet = virtualFleet({ vehicles: 12, seed: 7, faults: none, twoDongles: 5 })
  expect(fleet.slice(0, 12)).toEqual(usual)
  const seconds = fleet.slice(12)
  expect(seconds).toHaveLength(5)
  for (const [i, { isSecond, cars, kind, dongle, seed }] of seconds.entries()) {
    expect(isSecond).toBe(true)
    expect(cars).toEqual(usual[i]?.cars)
    expect(kind).not.toBe(usual[i]?.kind)
    expect(dongle.silentAbout.has('VIN')).toBe(false)
    expect(seed).not.toBe(usual[i]?.seed)
  }
  expect(new Set(fleet.map(({ dongle }) => dongle.deviceId)).size).toBe(17)
})

test('the second dongle is of the next kind that was chosen, in a car that fits both', () => {
  const dongles = ['everything', 'hybrid'] as const
  const fleet = virtualFleet({ vehicles: 4, seed: 7, faults: none, dongles, twoDongles: 2 })
  expect(fleet.map(({ kind }) => kind)).toEqual([
    'everything',
    'hybrid',
    'everything',
    'hybrid',
    'hybrid',
    'everything',
  ])
  expect(fleet.map(({ cars: [{ car }] }) => car.isHybrid ?? false)).toEqual([true, true, false, true, true, true])
})
