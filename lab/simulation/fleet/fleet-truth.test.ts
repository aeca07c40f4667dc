import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listTextIn } from '../../../src/derive/dtcs/dtc-intervals.ts'
import { fold } from '../../../src/derive/trips/fold.ts'
import { byClock } from '../../../src/model/dongle-clock.ts'
import type { Sample } from '../../../src/model/sample.ts'
import { deep } from '../../../test/deep.ts'
import { FLEET_FAULTS } from './fleet-faults.ts'
import { truthBetween } from './fleet-truth.ts'
import { transmissionsBetween } from './transmissions.ts'
import { type VirtualDongle, virtualFleet } from './virtual-fleet.ts'

const HOUR_MS = 3_600_000
const FROM_MS = Date.UTC(2026, 10, 17)
const TO_MS = Date.UTC(2026, 10, 18)
const FLEET = virtualFleet({ vehicles: 12, seed: 4, faults: new Set(FLEET_FAULTS.map(({ name }) => name)) })

/** What a service keeps of it. */
function stored(dongle: VirtualDongle, fromMs: number, toMs: number): Sample[] {
  const byTime = new Map<number, Sample>()
  for (const { sentMs, samples } of transmissionsBetween(dongle, fromMs, toMs))
    for (const sample of byClock(samples, sentMs).samples) byTime.set(sample.timeMs, sample)
  return [...byTime.values()].sort((a, b) => a.timeMs - b.timeMs)
}

const truth = truthBetween(FLEET, FROM_MS, TO_MS)

test('trips and kilometres of a time are those of its parts, however it is cut', () => {
  const fleet = FLEET.slice(4, 6)
  const whole = truthBetween(fleet, FROM_MS, TO_MS)
  fc.assert(
    fc.property(fc.array(fc.integer({ min: FROM_MS, max: TO_MS }), { minLength: 1, maxLength: 3 }), cutsMs => {
      const borders = [FROM_MS, ...cutsMs.sort((a, b) => a - b), TO_MS]
      const parts = borders.slice(1).map((border, i) => truthBetween(fleet, borders[i]!, border))
      const starts = (trips: typeof whole.trips) => new Set(trips.map(({ vin, startMs }) => `${vin} ${startMs}`))
      expect(starts(parts.flatMap(({ trips }) => trips))).toEqual(starts(whole.trips))
      expect(parts.flatMap(({ trips }) => trips)).toHaveLength(whole.trips.length)
      expect(parts.reduce((sum, { drivenM }) => sum + drivenM, 0)).toBe(whole.drivenM)
    }),
    { numRuns: deep(2) },
  )
})

test('of trips that began in a part of the time, the same is told as of all', () => {
  const fleet = FLEET.slice(4, 6)
  const whole = truthBetween(fleet, FROM_MS, TO_MS).trips.filter(({ isWhole }) => isWhole)
  const { startMs: firstMs, endMs: lastMs } = whole[whole.length >> 1]!
  const middleMs = (firstMs + lastMs) / 2
  const { trips } = truthBetween(fleet, middleMs, TO_MS)
  const before = truthBetween(fleet, middleMs, TO_MS, { beforeMs: middleMs }).trips
  const after = truthBetween(fleet, middleMs, TO_MS, { afterMs: middleMs - 1 }).trips
  expect(before).toEqual(trips.filter(({ startMs }) => startMs < middleMs))
  expect(after).toEqual(trips.filter(({ startMs }) => startMs >= middleMs))
  expect([before.length > 0, after.length > 0]).toEqual([true, true])
})

test('it is plain data, trips of a car do not overlap, and their metres are those of the odometer', () => {
  expect(JSON.parse(JSON.stringify(truth))).toEqual(truth)
  for (const [vin, drivenM] of Object.entries(truth.drivenMByVin)) {
    const trips = truth.trips.filter(trip => trip.vin === vin)
    for (const [i, { startMs }] of trips.entries()) expect(startMs).toBeGreaterThan(trips[i - 1]?.endMs ?? 0)
    const tripsM = trips.filter(({ isWhole }) => isWhole).reduce((sum, { distanceM }) => sum + distanceM, 0)
    // A drive that is under way at either end, and less than a metre a drive.
    expect(Math.abs(tripsM - drivenM)).toBeLessThan(trips.every(({ isWhole }) => isWhole) ? 60_000 : 120_000)
  }
  const sumM = Object.values(truth.drivenMByVin).reduce((sum, metres) => sum + metres, 0)
  expect(sumM).toBe(truth.drivenM)
})

test('with all faults, what is derived of the samples is what could be witnessed, and nothing else', () => {
  let [expected, found, matched] = [0, 0, 0]
  for (const dongle of FLEET) {
    const witnessed = truth.trips.flatMap(trip =>
      trip.isWhole && trip.witnessed?.deviceId === dongle.dongle.deviceId ? [trip.witnessed] : [],
    )
    const derived = fold(undefined, stored(dongle, FROM_MS, TO_MS)).trips
    // Of those whose end is not sent yet, and those that had begun before, a part is derived.
    const settled = derived.filter(({ startMs, endMs }) => startMs > FROM_MS + HOUR_MS && endMs < TO_MS - HOUR_MS)
    const isNear = (a: { startMs: number; endMs: number }, b: { startMs: number; endMs: number }) =>
      Math.abs(a.startMs - b.startMs) < 30_000 && Math.abs(a.endMs - b.endMs) < 30_000
    expected += witnessed.length
    matched += witnessed.filter(trip => derived.some(each => isNear(each, trip))).length
    found += settled.filter(each => !witnessed.some(trip => isNear(each, trip))).length
  }
  expect(expected).toBeGreaterThan(60)
  expect(matched / expected).toBeGreaterThan(0.98)
  expect(found / expected).toBeLessThan(0.02)
})

test('fault codes come and go, one of them stays, and lists tell it as the truth says', () => {
  const fleet = virtualFleet({ vehicles: 12, seed: 4, faults: new Set() })
  const toMs = FROM_MS + 7 * 24 * HOUR_MS
  const { faultCodes } = truthBetween(fleet, FROM_MS, toMs)
  expect(faultCodes.some(({ code, toMs: clearedMs }) => code === 'P0420' && clearedMs === null)).toBe(true)
  const cleared = faultCodes.filter(code => code.cleared)
  expect(cleared.length).toBeGreaterThan(0)
  for (const { vin, code, listed, cleared: gone } of faultCodes) {
    const dongle = fleet.find(({ cars }) => cars[0].car.vin === vin)!
    const hasCode = (timeMs: number) => {
      const sample = stored(dongle, timeMs - 1, timeMs + 5000).find(each => each.timeMs === timeMs)
      return sample && listTextIn(sample, 'PERMANENT')?.includes(code)
    }
    expect(listed === null || hasCode(listed.timeMs)).toBe(true)
    expect(gone === null || hasCode(gone.timeMs) === false).toBe(true)
  }
})
