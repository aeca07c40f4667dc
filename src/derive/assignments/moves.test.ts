import { describe, expect, test } from 'vitest'
import { type VinRun } from '../trips/state.ts'
import { type CarPeriod, type Home, placeMoved, staysOf } from './placement.ts'

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

const NOBODY: ReadonlySet<string> = new Set()

/** A run that begins at that time; the last drive before it ended 10 ms earlier. */
function run(vin: string, firstMs: number, { times = 2, boundaryMs = firstMs - 10 } = {}): VinRun {
  return { vin, firstMs, boundaryMs, isConfirmed: times > 1 }
}
const stay = (vin: string, fromMs: number) => ({ vin, fromMs })
const ALWAYS = Number.NEGATIVE_INFINITY

describe('where a dongle was, by its VIN readings', () => {
  test('a VIN read twice is the car it was in from the beginning', () => {
    expect(staysOf([run('A', 100)], NOBODY)).toEqual([stay('A', ALWAYS)])
  })

  test('a single reading is not believed, unless an operator entered that VIN', () => {
    expect(staysOf([run('A', 100, { times: 1 })], NOBODY)).toEqual([])
    expect(staysOf([run('A', 100, { times: 1 })], new Set(['B']))).toEqual([])
    expect(staysOf([run('A', 100, { times: 1 })], new Set(['A']))).toEqual([stay('A', ALWAYS)])
  })

  test('another VIN is another car, from just after the drive before it', () => {
    expect(staysOf([run('A', 100), run('B', 200)], NOBODY)).toEqual([stay('A', ALWAYS), stay('B', 191)])
  })

  test('the same VIN again is the first car again', () => {
    const runs = [run('A', 100), run('B', 200), run('A', 300, { times: 1 }), run('A', 400)]
    expect(staysOf(runs, NOBODY)).toEqual([stay('A', ALWAYS), stay('B', 191), stay('A', 391)])
  })

  test('a misreading between two readings of the same VIN changes nothing', () => {
    const runs = [run('A', 100), run('X', 200, { times: 1 }), run('A', 300, { times: 1 })]
    expect(staysOf(runs, NOBODY)).toEqual([stay('A', ALWAYS)])
    // Also where readings of it came first and last only: they do not follow one another.
    expect(staysOf(runs.slice(1), NOBODY)).toEqual([])
  })

  test('without the end of a drive in between, the first reading tells when it moved', () => {
    const neverEnded = { boundaryMs: ALWAYS }
    expect(staysOf([run('A', 100, neverEnded), run('B', 200, neverEnded)], NOBODY)).toEqual([
      stay('A', ALWAYS),
      stay('B', 200),
    ])
    // What ended before A was read once more did not bring B.
    expect(
      staysOf([run('A', 100), run('X', 140, { times: 1 }), run('A', 150), run('B', 200, { boundaryMs: 120 })], NOBODY),
    ).toEqual([stay('A', ALWAYS), stay('B', 200)])
  })

  test('the sample that ended the drive is still of the car before, and the first reading never', () => {
    expect(staysOf([run('A', 100), run('B', 200, { boundaryMs: 199 })], NOBODY)[1]).toEqual(stay('B', 200))
    expect(staysOf([run('A', 100), run('B', 200, { boundaryMs: 100 })], NOBODY)[1]).toEqual(stay('B', 101))
  })
})
