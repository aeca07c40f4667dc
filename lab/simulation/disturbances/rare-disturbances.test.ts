import { describe, expect, test } from 'vitest'
import type { DeviceId } from '../../../src/model/sample.ts'
import type { DongleKind } from '../dongle.ts'
import { metresBetween } from '../ground.ts'
import { randomRecording } from '../random-recording.ts'
import type { Reading } from '../readings.ts'
import type { Recording } from '../recording.ts'
import { situationAt } from '../situation.ts'
import { type Disturbance, disturb, positionOf } from './disturbance.ts'
import { clusterSwaps, fastOdometers, milesFromNowOn, silentWhileDriving, zeroOdometers } from './dongle-faults.ts'
import {
  ignitionTries,
  ignitionWhileCharging,
  jitterWhileParked,
  stuckSpeed,
  towing,
  vibration,
} from './parked-cars.ts'
import { factoryFixes, halfZeroFixes, heldFixes, oldFirstFixes, spoofing, tunnels } from './positions.ts'

const KIND: DongleKind = { awareness: 'ignition', readsOdometer: true, readsSpeed: true, readsVin: true, fixS: 5 }
const PHONE: DongleKind = { ...KIND, awareness: 'motion', tellsOnly: ['POSITION'], isByClockOnly: true }
const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS

function recordedBy(kind: DongleKind): Recording {
  return randomRecording({
    deviceId: 351_000_000_000_000 as DeviceId,
    kind,
    fromMs: Date.UTC(2026, 2, 2, 6),
    drivesByCar: [12],
    seed: 5,
    shortestM: 6000,
    longestM: 20_000,
    odometerStepM: 1,
  })
}

const clean = recordedBy(KIND)
const after = (disturbance: Disturbance, recording = clean) => disturb(recording, [disturbance], 3)

/** Readings that the disturbance made or changed. */
function changed({ readings }: Recording, before = clean): Reading[] {
  const known = new Map(before.readings.map(reading => [reading.timeMs, reading]))
  const textOf = (reading: Reading | undefined) => reading && JSON.stringify([...reading.events])
  return readings.filter(reading => {
    const was = known.get(reading.timeMs)
    return was !== reading && textOf(was) !== textOf(reading)
  })
}

/** How far a fix is from where the car was. */
function errorM({ truth }: Recording, reading: Reading): number {
  const position = positionOf(reading)
  const schedule = truth.stints[0]?.schedule
  if (!position || !schedule) return 0
  return metresBetween(situationAt(schedule, reading.takenMs).motion.position, position)
}

const longStays = { share: 1, leastMs: 10 * MINUTE_MS, mostMs: 30 * MINUTE_MS }
const minutes = { share: 1, leastMs: MINUTE_MS, mostMs: 2 * MINUTE_MS }
const kmOf = ({ readings }: Recording) =>
  readings.filter(({ events }) => events.has('MILEAGE')).map(({ events }) => Number(events.get('MILEAGE')))

describe('in a parked car', () => {
  test.each([
    ['a stuck speed', stuckSpeed(longStays), (reading: Reading) => Number(reading.events.get('VEHICLE_SPEED_MAX')) > 5],
    [
      'ignition while charging',
      ignitionWhileCharging(longStays),
      (reading: Reading) => reading.events.get('IS_IGNITION_ON') === true,
    ],
    ['vibration', vibration(longStays), (reading: Reading) => reading.events.get('IS_MOVING') === true],
  ])('%s keeps the dongle awake for long, and the car does not move', (_name, disturbance, isClaimed) => {
    const disturbed = after(disturbance)
    const readings = changed(disturbed)
    const claims = readings.filter(isClaimed)
    expect(claims.length).toBeGreaterThan(500)
    // Each stay ends with a record of how it is.
    expect(readings.length - claims.length).toBeLessThanOrEqual(clean.truth.trips.length)
    expect(readings.every(({ drive }) => drive === undefined)).toBe(true)
    expect(Math.max(...readings.map(reading => errorM(disturbed, reading)))).toBeLessThan(5)
    expect(new Set(kmOf(disturbed))).toEqual(new Set(kmOf(clean)))
    expect(disturbed.truth).toEqual(clean.truth)
  })

  test('a fix that a stuck speed or vibration repeats is one and the same during a stay', () => {
    for (const disturbance of [stuckSpeed(longStays), vibration(longStays)]) {
      const fixes = changed(after(disturbance)).map(reading => JSON.stringify(positionOf(reading)))
      expect(new Set(fixes).size).toBeLessThanOrEqual(2 * clean.truth.trips.length)
    }
  })

  test('jitter leads up to 75 m away, with speeds to match, also of a dongle that tells nothing but positions', () => {
    const phone = recordedBy(PHONE)
    for (const recording of [clean, phone]) {
      const disturbed = after(jitterWhileParked({ ...longStays, metres: 75, fastestKmh: 15 }), recording)
      const errors = changed(disturbed, recording).map(reading => errorM(disturbed, reading))
      expect(errors.length).toBeGreaterThan(500)
      expect(Math.max(...errors)).toBeGreaterThan(60)
      expect(Math.max(...errors)).toBeLessThan(76)
    }
    expect(after(ignitionWhileCharging(longStays), phone)).toEqual(phone)
    expect(after(stuckSpeed(longStays), phone)).toEqual(phone)
  })

  test('the ignition is tried for 40 s', () => {
    const tries = changed(after(ignitionTries({ share: 1, leastMs: 40 * SECOND_MS, mostMs: 40 * SECOND_MS })))
    expect(tries.length).toBe(2 * (clean.truth.trips.length - 1))
    for (let i = 0; i < tries.length; i += 2) {
      expect(tries[i]?.events.get('IS_IGNITION_ON')).toBe(true)
      expect(tries[i + 1]?.events.get('IS_IGNITION_ON')).toBe(false)
      expect((tries[i + 1]?.timeMs ?? 0) - (tries[i]?.timeMs ?? 0)).toBe(40 * SECOND_MS)
    }
  })

  test('only one of these happens in a stay, and none while it is towed', () => {
    const all = [stuckSpeed(longStays), vibration(longStays), ignitionWhileCharging(longStays)]
    expect(disturb(clean, [all[0] ?? vibration(longStays), vibration(longStays)], 3)).toEqual(
      after(stuckSpeed(longStays)),
    )
    expect(disturb(clean, [stuckSpeed(longStays), towing({ share: 1 })], 3)).toEqual(after(stuckSpeed(longStays)))
  })
})

describe('fixes', () => {
  test.each([
    ['old ones after a ferry', oldFirstFixes(minutes), 19_000, 81_000],
    ['those of the factory', factoryFixes(minutes), 8_000_000, 20_000_000],
  ])('%s are told at the start of drives only, always the same', (_name, disturbance, nearestM, farthestM) => {
    const disturbed = after(disturbance)
    for (const { drive } of clean.truth.trips) {
      const readings = changed(disturbed).filter(reading => reading.drive === drive)
      expect(readings[0]?.timeMs).toBe(drive.startMs)
      expect(readings.at(-1)?.timeMs).toBeLessThanOrEqual(drive.startMs + 2 * MINUTE_MS)
      expect(new Set(readings.map(reading => JSON.stringify(positionOf(reading)))).size).toBe(1)
    }
    const errors = changed(disturbed).map(reading => errorM(disturbed, reading))
    expect(Math.min(...errors)).toBeGreaterThan(nearestM)
    expect(Math.max(...errors)).toBeLessThan(farthestM)
  })

  test('spoofed ones lie 15 to 40 km away and move as the car does', () => {
    const disturbed = after(spoofing(minutes))
    for (const { drive } of clean.truth.trips) {
      const readings = changed(disturbed).filter(reading => reading.drive === drive)
      const errors = readings.map(reading => errorM(disturbed, reading))
      expect(readings.length).toBeGreaterThanOrEqual(11)
      expect(Math.min(...errors)).toBeGreaterThan(14_900)
      expect(Math.max(...errors)).toBeLessThan(40_100)
      expect(Math.max(...errors) - Math.min(...errors)).toBeLessThan(200)
    }
  })

  test('half zero ones have one number right, sometimes the one and sometimes the other', () => {
    const positions = changed(after(halfZeroFixes(minutes))).map(positionOf)
    expect(positions.every(position => (position?.lat === 0) !== (position?.lon === 0))).toBe(true)
    expect(new Set(positions.map(position => position?.lat === 0)).size).toBe(2)
  })

  test('held ones stay the same for a minute while the speed goes on', () => {
    const held = changed(after(heldFixes({ ...minutes, mostMs: MINUTE_MS })))
    expect(new Set(held.map(reading => JSON.stringify(positionOf(reading)))).size).toBe(clean.truth.trips.length)
    expect(held.length).toBeGreaterThanOrEqual(10 * clean.truth.trips.length)
    expect(new Set(held.map(({ events }) => events.get('GPS_SPEED'))).size).toBeGreaterThan(20)
  })
})

test('a silence under way leaves nothing for as long as it lasts, a long tunnel no position; long drives only', () => {
  const lasts = { share: 1, leastMs: 13 * MINUTE_MS, mostMs: 13 * MINUTE_MS }
  const long = clean.truth.trips.filter(({ startMs, endMs }) => endMs - startMs > 14.5 * MINUTE_MS)
  const silent = after(silentWhileDriving(lasts))
  const blind = after(tunnels({ ...lasts, shows: 'nothing' }))
  expect(long.length).toBeGreaterThan(2)
  for (const { drive } of clean.truth.trips) {
    const longestGapMs = (readings: readonly Reading[]) =>
      Math.max(...readings.slice(1).map(({ timeMs }, i) => timeMs - (readings[i]?.timeMs ?? 0)))
    const ofDrive = (recording: Recording) => recording.readings.filter(reading => reading.drive === drive)
    const isLong = long.some(trip => trip.drive === drive)
    expect(longestGapMs(ofDrive(silent)) > 13 * MINUTE_MS).toBe(isLong)
    expect(longestGapMs(ofDrive(blind))).toBeLessThan(MINUTE_MS)
    expect(longestGapMs(ofDrive(blind).filter(positionOf)) > 13 * MINUTE_MS).toBe(isLong)
  }
  expect(silent.truth).toEqual(clean.truth)
})

describe('the odometer', () => {
  const stepsKm = (recording: Recording) => {
    const km = kmOf(recording)
    return km.slice(1).map((value, i) => value - (km[i] ?? 0))
  }
  const leaps = (recording: Recording) => stepsKm(recording).filter(step => step < 0 || step > 2)

  test('jumps once when the cluster is swapped, and goes on', () => {
    expect(leaps(clean)).toHaveLength(0)
    expect(leaps(after(clusterSwaps({ share: 1 })))).toHaveLength(1)
  })

  test('jumps once when it is set to miles, and counts less from then on', () => {
    const inMiles = after(milesFromNowOn({ share: 1 }))
    expect(leaps(inMiles)).toHaveLength(1)
    expect((kmOf(inMiles).at(-1) ?? 0) * 1.609344).toBeCloseTo(kmOf(clean).at(-1) ?? 0, 1)
  })

  test('counts 15 % too much', () => {
    const drivenKm = (recording: Recording) => stepsKm(recording).reduce((sum, step) => sum + step, 0)
    expect(drivenKm(after(fastOdometers({ share: 1, by: 0.15 })))).toBeCloseTo(1.15 * drivenKm(clean), 1)
  })

  test('is 0 at the start of drives', () => {
    const zero = changed(after(zeroOdometers(minutes)))
    expect(zero.length).toBeGreaterThanOrEqual(clean.truth.trips.length)
    expect(new Set(zero.map(({ events }) => events.get('MILEAGE')))).toEqual(new Set([0]))
  })
})
