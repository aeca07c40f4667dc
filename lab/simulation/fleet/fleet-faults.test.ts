import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type EventTypeName, requiredEventType } from '../../../src/catalogue/event-types.ts'
import { byClock } from '../../../src/model/dongle-clock.ts'
import { type Sample, valueIn } from '../../../src/model/sample.ts'
import { deep, IS_DEEP } from '../../../test/deep.ts'
import { wayBetween } from '../ground.ts'
import type { FleetFault } from './fleet-faults.ts'
import { truthBetween } from './fleet-truth.ts'
import { type Transmission, transmissionsBetween } from './transmissions.ts'
import { type VirtualDongle, virtualFleet } from './virtual-fleet.ts'

const MINUTE_MS = 60_000
const FROM_MS = Date.UTC(2026, 10, 17)
const TO_MS = Date.UTC(2026, 10, 18)

const fleetWith = (...faults: FleetFault[]) => virtualFleet({ vehicles: 6, seed: 2, faults: new Set(faults) })
const sentBy = (dongle: VirtualDongle) => [...transmissionsBetween(dongle, FROM_MS, TO_MS)]
const samplesIn = (sent: readonly Transmission[]) => sent.flatMap(({ samples }) => samples)
const valueOf = (sample: Sample, name: EventTypeName) => valueIn(sample, requiredEventType(name))
const keyOf = ({ deviceId, timeMs }: Sample) => `${deviceId} ${timeMs}`

const plain = fleetWith().map(sentBy)
const plainSamples = plain.map(samplesIn)

test('without faults each sample is sent at once, alone and once', () => {
  for (const [i, sent] of plain.entries()) {
    expect(sent.filter(({ sentMs, samples }) => !(sentMs - samples[0]!.timeMs < 2000))).toEqual([])
    expect(new Set(plainSamples[i]?.map(keyOf)).size).toBe(plainSamples[i]?.length)
  }
})

test.each(['tunnel', 'garage'] as const)('%s: nothing is lost, what is new comes before what was kept', fault => {
  const sent = fleetWith(fault).map(sentBy)
  const late = sent.flat().filter(({ sentMs, samples }) => sentMs - samples[0]!.timeMs > 5000)
  expect(late.length).toBeGreaterThan(10)
  expect(late.filter(({ samples }) => samples.some(sample => valueOf(sample, 'POSITION')))).toEqual([])
  expect(late.some(({ samples }) => samples.length > 5)).toBe(true)
  const longest = Math.max(...late.map(({ sentMs, samples }) => sentMs - samples[0]!.timeMs))
  expect(longest).toBeGreaterThan(fault === 'garage' ? 20 * MINUTE_MS : MINUTE_MS)
  // But readings that held nothing but a position.
  const known = new Set(plainSamples.flat().map(keyOf))
  const all = sent.flatMap(samplesIn).map(keyOf)
  expect(all.filter(key => !known.has(key))).toEqual([])
  expect(new Set(all).size).toBe(all.length)
  expect(all.length).toBeGreaterThan(known.size * 0.97)
  const [first] = late
  const before = sent.find(transmissions => first && transmissions.includes(first)) ?? []
  expect(before[before.indexOf(first!) - 1]?.samples[0]?.timeMs).toBeGreaterThan(first!.samples.at(-1)!.timeMs)
})

test('duplicates: some packets come again, unchanged', () => {
  for (const [i, dongle] of fleetWith('duplicates').entries()) {
    const samples = samplesIn(sentBy(dongle))
    expect(samples.length).toBeGreaterThan((plainSamples[i]?.length ?? 0) * 1.01)
    const once = new Map(samples.map(sample => [keyOf(sample), sample]))
    expect(samples.filter(sample => !isDeepStrictEqual(once.get(keyOf(sample)), sample))).toEqual([])
    expect([...once.values()].sort((a, b) => a.timeMs - b.timeMs)).toEqual(plainSamples[i])
  }
})

test('reboot: some seconds of a drive are lost, and it goes on without a position', () => {
  const samples = fleetWith('reboot').map(dongle => samplesIn(sentBy(dongle)))
  const lost = plainSamples.flat().length - samples.flat().length
  expect(lost).toBeGreaterThan(20)
  expect(lost).toBeLessThan(plainSamples.flat().length * 0.05)
  const blind = samples.flat().filter(sample => valueOf(sample, 'VIN') && !valueOf(sample, 'POSITION'))
  expect(blind.length).toBeGreaterThan(3)
})

test('clock-jump: some timestamps are impossible, others wrong by seconds, and nothing is lost', () => {
  const sent = fleetWith('clock-jump').map(sentBy)
  const all = sent.flat().map(({ sentMs, samples }) => byClock(samples, sentMs))
  const misdated = all.flatMap(({ misdated: samples }) => samples)
  expect(misdated.some(({ timeMs }) => timeMs < Date.UTC(2000, 0, 1))).toBe(true)
  expect(misdated.some(({ timeMs }) => timeMs > TO_MS)).toBe(true)
  const known = new Set(plainSamples.flat().map(keyOf))
  expect(all.flatMap(({ samples }) => samples).filter(sample => !known.has(keyOf(sample))).length).toBeGreaterThan(10)
  for (const [i, transmissions] of sent.entries())
    expect(new Set(samplesIn(transmissions).map(keyOf)).size).toBe(plainSamples[i]?.length)
})

test('drift and zero: parked cars wander, and some positions are 0,0', () => {
  const parkedPaths = fleetWith('drift').map(dongle =>
    samplesIn(sentBy(dongle)).flatMap(sample => {
      const position = valueOf(sample, 'POSITION')
      return valueOf(sample, 'IS_MOVING') === false && typeof position === 'object' ? [position] : []
    }),
  )
  const steps = parkedPaths.flatMap(path => path.slice(1).map((to, i) => wayBetween(path[i]!, to)))
  const wandering = steps.filter(
    ({ eastM, northM }) => Math.hypot(eastM, northM) > 8 && Math.hypot(eastM, northM) < 150,
  )
  expect(wandering.length).toBeGreaterThan(steps.length / 3)
  const positions = fleetWith('zero').flatMap(dongle =>
    samplesIn(sentBy(dongle)).map(each => valueOf(each, 'POSITION')),
  )
  const zeros = positions.filter(value => typeof value === 'object' && value.lat === 0 && value.lon === 0)
  expect(zeros.length / positions.length).toBeGreaterThan(0.005)
  expect(zeros.length / positions.length).toBeLessThan(0.02)
})

test('unplugged: such drives end for the dongle when it is pulled out, and it tells so', () => {
  const fleet = fleetWith('unplugged')
  const cut = truthBetween(fleet, FROM_MS, TO_MS).trips.filter(
    ({ isWhole, witnessed, endMs }) => isWhole && witnessed && endMs - witnessed.endMs > 30_000,
  )
  expect(cut.length).toBeGreaterThan(2)
  const pulled = fleet.flatMap(dongle =>
    samplesIn(sentBy(dongle)).filter(sample => valueOf(sample, 'IS_DONGLE_PLUGGED_IN') === false),
  )
  for (const { witnessed, endMs } of cut)
    expect(
      pulled.some(
        ({ deviceId, timeMs }) => deviceId === witnessed?.deviceId && witnessed.endMs <= timeMs && timeMs < endMs,
      ),
    ).toBe(true)
})

test('moved: a dongle tells the VIN of one car, and days later that of another one', () => {
  const fleet = fleetWith('moved')
  const toMs = FROM_MS + 8 * 24 * 60 * MINUTE_MS
  const [first] = fleet
  const vins = samplesIn([...transmissionsBetween(first!, FROM_MS, toMs)]).flatMap(each => valueOf(each, 'VIN') ?? [])
  expect(new Set(vins)).toEqual(new Set(first!.cars.map(({ car }) => car.vin)))
  const { stints, trips } = truthBetween(fleet, FROM_MS, toMs)
  for (const { vin, witnessed } of trips.filter(trip => trip.witnessed))
    expect(
      stints.some(
        stint =>
          stint.vin === vin &&
          stint.deviceId === witnessed?.deviceId &&
          stint.fromMs <= witnessed.endMs &&
          witnessed.startMs <= stint.toMs,
      ),
    ).toBe(true)
  // While a dongle is carried from one car to the other, nobody sees what they do.
  expect(trips.some(({ witnessed }) => witnessed === null)).toBe(true)
})

test('replaced: two dongles take turns in a car, and neither is there twice', () => {
  const fleet = fleetWith('replaced')
  expect(fleet).toHaveLength(12)
  const toMs = FROM_MS + 10 * 24 * 60 * MINUTE_MS
  const { stints, trips } = truthBetween(fleet, FROM_MS, toMs)
  for (const vin of new Set(stints.map(stint => stint.vin))) {
    const ofCar = stints.filter(stint => stint.vin === vin).sort((a, b) => a.fromMs - b.fromMs)
    expect(new Set(ofCar.map(({ deviceId }) => deviceId)).size).toBe(2)
    for (const [i, { fromMs, deviceId }] of ofCar.slice(1).entries()) {
      expect(fromMs).toBe(ofCar[i]?.toMs)
      expect(deviceId).not.toBe(ofCar[i]?.deviceId)
    }
  }
  const hit = trips.filter(({ witnessed }) => witnessed?.faults.includes('replaced'))
  expect(hit.length).toBeGreaterThanOrEqual(12)
  expect(trips.every(({ witnessed }) => witnessed !== null)).toBe(true)
})

const kmIn = (dongle: VirtualDongle, toMs: number) =>
  samplesIn([...transmissionsBetween(dongle, FROM_MS, toMs)]).flatMap(sample => {
    const km = valueOf(sample, 'MILEAGE')
    return typeof km === 'number' ? [km] : []
  })

describe('some cars count by another factor, the same for each dongle in them', () => {
  const cars = 10
  const counted = (...names: FleetFault[]) =>
    virtualFleet({
      vehicles: cars,
      seed: 2,
      faults: new Set(names),
      dongles: ['everything'],
      intervalS: 120,
      twoDongles: cars,
    }).map(dongle => {
      const km = kmIn(dongle, TO_MS)
      return (km.at(-1) ?? 0) - (km[0] ?? 0)
    })
  const right = counted()

  test.each([
    ['miles', 0.62, 0.623],
    ['fast-odometer', 1.03, 1.15],
  ] as const)('%s', (fault, least, most) => {
    const factors = counted(fault).map((km, i) => km / (right[i] ?? Number.NaN))
    const wrong = factors.filter(factor => Math.abs(factor - 1) > 0.001)
    expect(wrong.length).toBeGreaterThan(0)
    expect(wrong.length).toBeLessThan(cars)
    for (const factor of wrong) {
      expect(factor).toBeGreaterThan(least - 0.005)
      expect(factor).toBeLessThan(most + 0.005)
    }
    for (const [i, factor] of factors.slice(cars).entries()) expect(factor).toBeCloseTo(factors[i] ?? Number.NaN, 2)
  })
})

test('cluster-swap: within days each odometer jumps on a drive, and goes on from there', () => {
  const toMs = FROM_MS + 5 * 24 * 60 * MINUTE_MS
  // All days of some drivers are short.
  const twelve = virtualFleet({ vehicles: 12, seed: 2, faults: new Set<FleetFault>(['cluster-swap']) })
  for (const dongle of [1, 3, 4].map(place => twelve[place]!)) {
    const km = kmIn(dongle, toMs)
    const jumps = km.slice(1).filter((value, i) => Math.abs(value - (km[i] ?? 0)) > 200)
    expect(jumps).toHaveLength(1)
    expect(Math.min(...km)).toBeGreaterThanOrEqual(0)
  }
})

const RARE = [
  'silence',
  'long-tunnel',
  'old-fix',
  'spoofing',
  'half-zero',
  'charging',
  'vibration',
  'jitter',
  'stuck-speed',
  'zero-odometer',
  'held-fix',
  'factory-fix',
  'ignition-tries',
] as const satisfies readonly FleetFault[]

/** Days that are long enough for each of them to hit some drives. */
const RARE_DAYS: Partial<Record<FleetFault, number>> = { charging: 2, vibration: 3, jitter: 2, 'factory-fix': 2 }
const rareTo = (fault: FleetFault) => FROM_MS + deep(RARE_DAYS[fault] ?? 1) * 24 * 60 * MINUTE_MS

/** Two of twelve cars: one with many drives in little time, and one that is hit. */
const MANY_DRIVES = 4
const HIT: Partial<Record<FleetFault, number>> = { 'long-tunnel': 5, 'stuck-speed': 6, vibration: 10, 'factory-fix': 8 }
function rareCars(fault: FleetFault, faults: readonly FleetFault[]): VirtualDongle[] {
  const twelve = virtualFleet({ vehicles: 12, seed: 2, faults: new Set(faults) })
  return IS_DEEP ? [...twelve] : twelve.filter((_, place) => place === MANY_DRIVES || place === (HIT[fault] ?? 1))
}

type Trips = ReturnType<typeof truthBetween>['trips']
const plainTrips = new Map<string, Trips>()

/** Several faults hit the same cars in the same time, which are simulated once without any. */
function plainTripsFor(fault: FleetFault): Trips {
  const key = `${HIT[fault] ?? 1} ${rareTo(fault)}`
  const trips =
    plainTrips.get(key) ?? truthBetween(rareCars(fault, []), FROM_MS, rareTo(fault), { afterMs: FROM_MS }).trips
  plainTrips.set(key, trips)
  return trips
}

test.each(RARE)('%s: the truth names it at the drives that it hits, all others are as without', fault => {
  const undisturbed = plainTripsFor(fault)
  const { trips } = truthBetween(rareCars(fault, [fault]), FROM_MS, rareTo(fault), { afterMs: FROM_MS })
  const hit = trips.filter(({ witnessed }) => witnessed?.faults.includes(fault))
  expect(hit.length).toBeGreaterThan(0)
  expect(hit.length).toBeLessThan(trips.length / 5)
  expect(new Set(trips.flatMap(({ witnessed }) => witnessed?.faults ?? []))).toEqual(new Set([fault]))
  // None of them changes what a dongle that knows the way could witness.
  // A false fix hides the start of a drive from a dongle that tells positions only: it may be found later.
  const isAsPlain = trips.map(({ witnessed }, i) => {
    const startMs = undisturbed[i]?.witnessed?.startMs
    if ((fault !== 'old-fix' && fault !== 'factory-fix') || !witnessed?.faults.includes(fault))
      return witnessed?.startMs === startMs
    return witnessed.startMs >= (startMs ?? Number.POSITIVE_INFINITY)
  })
  expect(isAsPlain).not.toContain(false)
  expect(trips.map(({ witnessed }) => witnessed?.endMs)).toEqual(undisturbed.map(({ witnessed }) => witnessed?.endMs))
})
