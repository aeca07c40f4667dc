import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type VinRun } from '../trips/state.ts'
import { areTwoCars, type Home, placeStays, staysOf } from './placement.ts'

/** The vehicles of an account and the dongles in them, as the store keeps them; only names are left out of rows. */
class Account {
  readonly vehicles = new Map<number, { vin: string | undefined; isByOperator: boolean; device: string }>()
  readonly places = new Map<string, { vehicleId: number; fromMs: number }[]>()
  /** Public ids that vehicles had before. */
  readonly former = new Map<string, number>()
  #nextId = 1

  join(device: string): void {
    this.places.set(device, [{ vehicleId: this.#create(device, undefined), fromMs: Number.NEGATIVE_INFINITY }])
  }

  enterVin(vehicleId: number, vin: string): void {
    const vehicle = this.vehicles.get(vehicleId)
    if (!vehicle) throw new Error('no such vehicle')
    this.#rename(vehicleId, vin)
    vehicle.isByOperator = true
  }

  settle(device: string, runs: readonly VinRun[]): void {
    const vehicles = [...this.vehicles].map(([id, vehicle]) => ({ id, ...vehicle }))
    const operatorVins = new Set(vehicles.filter(item => item.isByOperator).map(item => item.vin ?? ''))
    const vehicleOfVin = new Map(
      [...this.former].filter(([, id]) => this.vehicles.get(id)?.isByOperator).filter(([id]) => id.length === 1),
    )
    for (const { id, vin } of vehicles) if (vin !== undefined) vehicleOfVin.set(vin, id)
    const home = this.#homeOf(device)
    const { homeVin, placed } = placeStays(staysOf(runs, operatorVins), home, vehicleOfVin)
    if (homeVin !== home.vin) {
      this.#rename(home.vehicleId, homeVin)
      if (homeVin === undefined) Object.assign(this.vehicles.get(home.vehicleId) ?? {}, { device })
    }
    const created = new Map<string | undefined, number>()
    this.places.set(
      device,
      placed.map(({ vehicle, fromMs }) => {
        if (vehicle.kind === 'known') return { vehicleId: vehicle.vehicleId, fromMs }
        const vehicleId = created.get(vehicle.vin) ?? this.#create(device, vehicle.vin)
        created.set(vehicle.vin, vehicleId)
        return { vehicleId, fromMs }
      }),
    )
    for (const [id, vehicle] of this.vehicles)
      if (!vehicle.isByOperator && ![...this.places.values()].flat().some(item => item.vehicleId === id))
        this.vehicles.delete(id)
  }

  /** What users see: which VIN each dongle was with, and since when; a vehicle without one is the dongle's own. */
  seen() {
    const nameOf = (vehicleId: number) => {
      const vehicle = this.vehicles.get(vehicleId)
      return vehicle?.vin ?? `IMEI_${vehicle?.device}`
    }
    const byDevice = [...this.places].sort(([a], [b]) => (a < b ? -1 : 1))
    return {
      vehicles: [...this.vehicles.keys()].map(nameOf).sort(),
      places: byDevice.map(([device, places]) => [
        device,
        places.map(({ vehicleId, fromMs }) => [nameOf(vehicleId), fromMs]),
      ]),
    }
  }

  #create(device: string, vin: string | undefined): number {
    this.vehicles.set(this.#nextId, { vin, isByOperator: false, device })
    return this.#nextId++
  }

  #rename(vehicleId: number, vin: string | undefined): void {
    const vehicle = this.vehicles.get(vehicleId)
    if (!vehicle) return
    if (vehicle.vin !== undefined) this.former.set(vehicle.vin, vehicleId)
    if (vin !== undefined) this.former.delete(vin)
    vehicle.vin = vin
  }

  #homeOf(device: string): Home {
    const own = [...this.vehicles].filter(([, vehicle]) => vehicle.device === device)
    const unnamed = own.find(([, vehicle]) => vehicle.vin === undefined)
    const named = own[0]?.[1].isByOperator === true ? own[0] : undefined
    const vehicleId = (unnamed ?? named)?.[0] ?? this.places.get(device)?.[0]?.vehicleId ?? 0
    const vehicle = this.vehicles.get(vehicleId)
    if (!vehicle) throw new Error('a dongle without a vehicle')
    const isShared = [...this.places].some(
      ([other, places]) => other !== device && places.some(item => item.vehicleId === vehicleId),
    )
    const { vin, isByOperator } = vehicle
    return { vehicleId, vin, isByOperator, isOwn: vehicle.device === device, isShared, isChosen: false }
  }
}

interface Reading {
  readonly device: string
  readonly timeMs: number
  readonly vin: string
}

/**
 * Runs as the fold makes them of a set of readings; a drive ends 5 ms before each reading. Of two for one instant the
 * greater one stays.
 */
function runsOf(readings: readonly Reading[], device: string): VinRun[] {
  const vinAt = new Map<number, string>()
  for (const { vin, timeMs } of readings.filter(item => item.device === device))
    if (vin > (vinAt.get(timeMs) ?? '')) vinAt.set(timeMs, vin)
  const runs: VinRun[] = []
  for (const [timeMs, vin] of [...vinAt].sort(([a], [b]) => a - b)) {
    const last = runs.at(-1)
    if (last?.vin !== vin) runs.push({ vin, firstMs: timeMs, boundaryMs: timeMs - 5, isConfirmed: false })
    else runs[runs.length - 1] = { ...last, isConfirmed: true }
  }
  return runs
}

const DEVICES = ['d1', 'd2']

/** An operator's entry before anything arrived, then uploads in that order, each settled at once. */
function outcome(uploads: readonly (readonly Reading[])[], entered: string | undefined) {
  const account = new Account()
  for (const device of DEVICES) account.join(device)
  if (entered !== undefined) account.enterVin(1, entered)
  const received: Reading[] = []
  for (const upload of uploads) {
    received.push(...upload)
    for (const device of new Set(upload.map(item => item.device))) account.settle(device, runsOf(received, device))
  }
  // An entry makes the dongles concerned be looked at again; so does the end of the upload.
  for (const device of DEVICES) account.settle(device, runsOf(received, device))
  return account
}

const readings = fc.uniqueArray(
  fc.record({
    device: fc.constantFrom(...DEVICES),
    timeMs: fc.integer({ min: 1, max: 12 }).map(n => n * 100),
    vin: fc.constantFrom('A', 'B', 'C'),
  }),
  { selector: ({ device, timeMs, vin }) => `${device} ${timeMs} ${vin}`, maxLength: 14 },
)
const entry = fc.option(fc.constantFrom('A', 'B'), { nil: undefined })

const HOME: Home = { vehicleId: 1, vin: undefined, isByOperator: false, isOwn: true, isShared: false, isChosen: false }
const ALWAYS = Number.NEGATIVE_INFINITY
const A = { vin: 'A', fromMs: ALWAYS }
const B = { vin: 'B', fromMs: 100 }
const at = (vehicleId: number, fromMs = ALWAYS) => ({ fromMs, vehicle: { kind: 'known', vehicleId } })
const made = (vin: string | undefined, fromMs = ALWAYS) => ({ fromMs, vehicle: { kind: 'new', vin } })

describe('the vehicle that stands for a dongle', () => {
  it('gets the first VIN; another one makes a new vehicle', () => {
    expect(placeStays([A, B], HOME, new Map())).toEqual({ homeVin: 'A', placed: [at(1), made('B', 100)] })
  })

  it('keeps its VIN when an earlier one is read later', () => {
    const home = { ...HOME, vin: 'B' }
    expect(placeStays([A, B], home, new Map([['B', 1]]))).toEqual({ homeVin: 'B', placed: [made('A'), at(1, 100)] })
  })

  it('is left for the vehicle that has the first VIN already', () => {
    expect(placeStays([A], HOME, new Map([['A', 2]]))).toEqual({ homeVin: undefined, placed: [at(2)] })
  })

  it('keeps the VIN of an operator, whatever is read first', () => {
    const home = { ...HOME, vin: 'X', isByOperator: true }
    expect(placeStays([A], home, new Map())).toEqual({ homeVin: 'X', placed: [at(1)] })
    expect(placeStays([A], home, new Map([['A', 2]]))).toEqual({ homeVin: 'X', placed: [at(1)] })
    expect(placeStays([A, B, { ...A, fromMs: 200 }], home, new Map())).toEqual({
      homeVin: 'X',
      placed: [at(1), made('B', 100), at(1, 200)],
    })
    expect(placeStays([], home, new Map())).toEqual({ homeVin: 'X', placed: [at(1)] })
  })

  it('is not the first car when the VIN of an operator is read in a later one', () => {
    const home = { ...HOME, vin: 'B', isByOperator: true }
    expect(placeStays([A, B], home, new Map([['B', 1]]))).toEqual({ homeVin: 'B', placed: [made('A'), at(1, 100)] })
  })

  it('goes on under the VIN that an operator put in the place of the one that was read', () => {
    const home = { ...HOME, vin: 'X', isByOperator: true }
    expect(placeStays([A], home, new Map([['A', 1]]))).toEqual({ homeVin: 'X', placed: [at(1)] })
  })

  it('has no VIN any more when later readings show that there was none', () => {
    expect(placeStays([], { ...HOME, vin: 'A' }, new Map())).toEqual({ homeVin: undefined, placed: [at(1)] })
  })

  it('is no home by the word of an operator when the dongle only came into it by a VIN that it did not read', () => {
    const home = { ...HOME, vin: 'C', isByOperator: true, isOwn: false, isShared: true }
    expect(placeStays([A], home, new Map())).toEqual({ homeVin: 'C', placed: [made('A')] })
    expect(placeStays([], home, new Map())).toEqual({ homeVin: 'C', placed: [made(undefined)] })
  })

  it('is not renamed while other dongles are in it', () => {
    const home = { ...HOME, vin: 'C', isShared: true }
    expect(placeStays([A], home, new Map())).toEqual({ homeVin: 'C', placed: [made('A')] })
    expect(placeStays([], home, new Map())).toEqual({ homeVin: 'C', placed: [made(undefined)] })
  })
})

describe('which vehicles the readings of dongles lead to', () => {
  it('is the same whatever order they come in', () => {
    fc.assert(
      fc.property(
        readings.chain(all => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        entry,
        ([all, shuffled], entered) => {
          const inOrder = outcome(
            [...all].sort((a, b) => a.timeMs - b.timeMs).map(reading => [reading]),
            entered,
          )
          expect(
            outcome(
              shuffled.map(reading => [reading]),
              entered,
            ).seen(),
          ).toEqual(inOrder.seen())
          expect(outcome([all], entered).seen()).toEqual(inOrder.seen())
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('no two vehicles have one VIN, and settling again changes nothing', () => {
    fc.assert(
      fc.property(readings, entry, (all, entered) => {
        const account = outcome(
          all.map(reading => [reading]),
          entered,
        )
        const seen = account.seen()
        expect(new Set(seen.vehicles).size).toBe(seen.vehicles.length)
        for (const device of DEVICES) account.settle(device, runsOf(all, device))
        expect(account.seen()).toEqual(seen)
      }),
    )
  })
})

describe('two dongles', () => {
  /** A car that has gone so many kilometres, to the north from that many to the east. @param kmh backwards when negative */
  const drive = (fromMin: number, toMin: number, kmh: number, { stepMin = 0.5, eastKm = 0, northKm = 0 } = {}) =>
    Array.from({ length: Math.floor((toMin - fromMin) / stepMin) }, (_, step) => ({
      timeMs: (fromMin + step * stepMin) * 60_000,
      fix: { lon: 13 + eastKm / 67.7, lat: 52.5 + (northKm + (kmh / 60) * step * stepMin) / 111.2 },
    }))
  const car = drive(0, 40, 60)
  const still = drive(0, 40, 0, { eastKm: 60 })

  it.each([
    ['on parallel roads', car, drive(0, 40, 60, { eastKm: 2.5 }), true],
    ['in opposite directions from one depot', car, drive(0, 40, -60), true],
    ['towards each other', car, drive(0, 40, -60, { northKm: 40 }), true],
    ['one twelve minutes behind the other', drive(0, 26, 45), drive(12, 38, 45), true],
    ['one far away a minute before the other ends', car, drive(39, 80, 60, { northKm: 500 }), true],
    ['one far away ten minutes after the other', car, drive(50, 80, 60, { northKm: 500 }), true],
    ['two clocks, four minutes apart', car, drive(4, 44, 60), false],
    ['a fix each five minutes', car, drive(2, 40, 60, { stepMin: 5, northKm: 2 }), false],
    ['fixes in the middle only', car, car.slice(30, 36), false],
    ['one frozen receiver', car, still, false],
    ['one receiver that was elsewhere at first', car, [...drive(0, 8, 60, { eastKm: 60 }), ...car.slice(16)], false],
    ['one goes on where the other ended', car, drive(45, 80, 60, { northKm: 40 }), false],
    ['no fixes of one', car, [], false],
  ])('with %s are told apart as they are', (_, one, other, isApart) => {
    expect([areTwoCars(one, other), areTwoCars(other, one)]).toEqual([isApart, isApart])
  })

  it('in one car are never two, whichever of its fixes each has', () => {
    const anyKmh = fc.array(fc.integer({ min: -130, max: 130 }), { minLength: 80, maxLength: 80 })
    fc.assert(
      fc.property(anyKmh, fc.infiniteStream(fc.boolean()), fc.infiniteStream(fc.boolean()), (speeds, one, other) => {
        let northKm = 0
        const all = speeds.flatMap((kmh, step) =>
          drive(step / 2, step / 2 + 0.5, 0, { northKm: (northKm += kmh / 120) }),
        )
        const read = (kept: Iterator<boolean>) => all.filter(() => kept.next().value)
        expect(areTwoCars(read(one), read(other))).toBe(false)
      }),
    )
  })
})
