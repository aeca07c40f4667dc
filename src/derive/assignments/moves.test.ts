import { describe, expect, test } from 'vitest'
import { type CarPeriod, type Home, placeMoved } from './placement.ts'

const CAR: Home = {
  vehicleId: 1,
  vin: undefined,
  isByOperator: false,
  isOwn: false,
  isShared: false,
  isChosen: true,
}
const NO_VINS = { vehicleOfVin: new Map<string, number>(), ofNewVehicles: new Set<string>() }
const HERE = { fromMs: 10, vehicle: { kind: 'known', vehicleId: 1 } }

function placed(stays: readonly CarPeriod[], car: Home = CAR, known = NO_VINS) {
  return placeMoved(10, stays, car, known)
}

describe('a dongle that an operator put into a car', () => {
  test('is in it while it reads nothing', () => {
    expect(placed([])).toEqual({ vin: undefined, placed: [HERE] })
  })

  test('gives it the first VIN that it reads there, and is elsewhere with the next', () => {
    expect(
      placed([
        { vin: 'A', fromMs: 20 },
        { vin: 'B', fromMs: 30 },
      ]),
    ).toEqual({
      vin: 'A',
      placed: [
        HERE,
        { fromMs: 20, vehicle: { kind: 'known', vehicleId: 1 } },
        { fromMs: 30, vehicle: { kind: 'new', vin: 'B' } },
      ],
    })
  })

  test('is in another known car from when it read its VIN', () => {
    const known = { ...NO_VINS, vehicleOfVin: new Map([['B', 2]]) }
    expect(placed([{ vin: 'B', fromMs: 20 }], CAR, known)).toEqual({
      vin: undefined,
      placed: [HERE, { fromMs: 20, vehicle: { kind: 'known', vehicleId: 2 } }],
    })
  })

  test('stays in the car of which an operator entered another VIN, unless that one is read, too', () => {
    const car = { ...CAR, vin: 'C', isByOperator: true }
    const misread = { vin: 'A', fromMs: 20 }
    expect(placed([misread], car).placed[1]?.vehicle).toEqual({ kind: 'known', vehicleId: 1 })
    const known = { ...NO_VINS, vehicleOfVin: new Map([['C', 1]]) }
    expect(placed([misread, { vin: 'C', fromMs: 30 }], car, known).placed.map(({ vehicle }) => vehicle)).toEqual([
      { kind: 'known', vehicleId: 1 },
      { kind: 'new', vin: 'A' },
      { kind: 'known', vehicleId: 1 },
    ])
  })

  test('does not rename a car whose VIN another dongle reads', () => {
    const car = { ...CAR, vin: 'C', isShared: true }
    expect(placed([{ vin: 'A', fromMs: 20 }], car)).toEqual({
      vin: 'C',
      placed: [HERE, { fromMs: 20, vehicle: { kind: 'new', vin: 'A' } }],
    })
  })

  test('does not give it the VIN for which an earlier time of the dongle makes a vehicle', () => {
    const known = { ...NO_VINS, ofNewVehicles: new Set(['A']) }
    expect(placed([{ vin: 'A', fromMs: 20 }], CAR, known).vin).toBeUndefined()
  })
})
