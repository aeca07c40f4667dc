import { describe, expect, test } from 'vitest'
import type { EventTypeName } from '../../../src/catalogue/event-types.ts'
import type { DeviceId } from '../../../src/model/sample.ts'
import type { DongleKind } from '../dongle.ts'
import { wayBetween } from '../ground.ts'
import { randomRecording } from '../random-recording.ts'
import type { Reading } from '../readings.ts'
import { type Recording, samplesOf } from '../recording.ts'
import { type Disturbance, disturb, positionOf } from './disturbance.ts'
import {
  clockBeforeFix,
  clockJumps,
  deaths,
  ignitionFlicker,
  missingFirstFix,
  reboots,
  undergroundGarages,
  unpluggedWhileDriving,
} from './dongle-faults.ts'
import { towing } from './parked-cars.ts'
import { driftWhileParked, gpsNoise, teleports, tunnels, zeroFixes } from './positions.ts'

const KIND: DongleKind = { awareness: 'ignition', readsOdometer: true, readsSpeed: true, readsVin: true, fixS: 5 }
const MINUTE_MS = 60_000

const clean = randomRecording({
  deviceId: 351_000_000_000_000 as DeviceId,
  kind: KIND,
  fromMs: Date.UTC(2026, 2, 2, 6),
  drivesByCar: [12],
  seed: 5,
  shortestM: 3000,
  longestM: 12_000,
})

const after = (disturbance: Disturbance) => disturb(clean, [disturbance], 3)
const always = { share: 1, leastMs: MINUTE_MS, mostMs: 2 * MINUTE_MS }

/** How far the positions of two recordings are apart, reading by reading. */
function shiftsM(recording: Recording, isMeant: (reading: Reading) => boolean): number[] {
  const before = new Map(clean.readings.map(reading => [reading.timeMs, positionOf(reading)]))
  return recording.readings.filter(isMeant).flatMap(reading => {
    const [from, to] = [before.get(reading.timeMs), positionOf(reading)]
    if (!from || !to) return []
    const { eastM, northM } = wayBetween(from, to)
    return [Math.hypot(eastM, northM)]
  })
}

const isDriving = ({ drive }: Reading) => drive !== undefined
const isParked = ({ drive }: Reading) => drive === undefined
const stateOf = (name: EventTypeName) => (reading: Reading) => reading.events.get(name)
const most = (numbers: readonly number[]) => Math.max(...numbers)

test('nothing is left to chance but the seed, and what happens leaves the drives as they were', () => {
  const once = after(tunnels({ ...always, shows: 'nothing' }))
  expect(after(tunnels({ ...always, shows: 'nothing' }))).toEqual(once)
  expect(disturb(clean, [tunnels({ ...always, shows: 'nothing' })], 4)).not.toEqual(once)
  expect(once.truth).toEqual(clean.truth)
})

describe('positions', () => {
  test('noise moves all of them a little, drift only those of a parked car', () => {
    const noisy = after(gpsNoise({ metres: 8 }))
    expect(most(shiftsM(noisy, isDriving))).toBeGreaterThan(4)
    expect(most(shiftsM(noisy, () => true))).toBeLessThan(12)
    const drifting = after(driftWhileParked({ metres: 40 }))
    expect(most(shiftsM(drifting, isDriving))).toBe(0)
    expect(most(shiftsM(drifting, isParked))).toBeGreaterThan(20)
    expect(most(shiftsM(drifting, isParked))).toBeLessThan(60)
  })

  test('a tunnel in every drive hides them for a minute or two, or repeats the last one', () => {
    const hidden = after(tunnels({ ...always, shows: 'nothing' }))
    const frozen = after(tunnels({ ...always, shows: 'the last fix' }))
    for (const { drive } of clean.truth.trips) {
      const blind = hidden.readings.filter(reading => reading.drive === drive && !positionOf(reading))
      expect(blind.some(reading => reading.events.has('VEHICLE_SPEED_AVERAGE'))).toBe(true)
      const lons = frozen.readings.filter(reading => reading.drive === drive).map(reading => positionOf(reading)?.lon)
      expect(lons.filter((lon, i) => lon === lons[i - 1]).length).toBeGreaterThanOrEqual(10)
    }
  })

  test('garages and slow receivers hide the ends of drives', () => {
    const late = after(missingFirstFix({ share: 1, leastMs: 0, mostMs: MINUTE_MS }))
    const garages = after(undergroundGarages({ share: 1, mostMs: MINUTE_MS }))
    for (const { startMs, endMs } of clean.truth.trips) {
      expect(late.readings.find(({ timeMs }) => timeMs === startMs)?.events.has('POSITION')).toBe(false)
      expect(garages.readings.find(({ timeMs }) => timeMs === endMs)?.events.has('POSITION')).toBe(false)
    }
    expect(garages.readings.filter(isParked).slice(-5).some(positionOf)).toBe(false)
  })

  test('some are 0,0 or kilometres off', () => {
    const zero = after(zeroFixes({ share: 0.05 })).readings.filter(reading => positionOf(reading)?.lon === 0)
    const positions = clean.readings.filter(positionOf).length
    expect(zero.length / positions).toBeGreaterThan(0.03)
    expect(zero.length / positions).toBeLessThan(0.07)
    const far = shiftsM(after(teleports({ share: 0.05 })), () => true).filter(metres => metres > 2900)
    expect(far.length / positions).toBeGreaterThan(0.03)
  })

  test('a towed car is carried away and brought back, with the ignition off', () => {
    const towed = after(towing({ share: 1 }))
    expect(most(shiftsM(towed, isParked))).toBeGreaterThan(900)
    expect(most(shiftsM(towed, isDriving))).toBe(0)
    const moving = towed.readings.filter(reading => isParked(reading) && reading.events.get('IS_MOVING') === true)
    expect(new Set(moving.map(stateOf('IS_IGNITION_ON')))).toEqual(new Set([false]))
  })
})

describe('the dongle', () => {
  test('sees the ignition flicker', () => {
    const flickering = after(ignitionFlicker({ share: 1, leastMs: 1000, mostMs: MINUTE_MS }))
    const offs = flickering.readings.filter(
      reading => isDriving(reading) && reading.events.get('IS_IGNITION_ON') === false,
    )
    // Each drive ends with one.
    expect(offs).toHaveLength(2 * clean.truth.trips.length)
  })

  test('says nothing while it starts again, and then what it says at a start', () => {
    const rebooted = after(reboots(always))
    for (const { drive } of clean.truth.trips) {
      const readings = rebooted.readings.filter(reading => reading.drive === drive)
      const i = readings.findIndex(
        (reading, at) => reading.timeMs - (readings[at - 1]?.timeMs ?? 0) >= MINUTE_MS && at > 0,
      )
      expect(readings[i]?.events.get('VIN')).toBe(clean.truth.stints[0]?.schedule.car.vin)
      expect(readings[i]?.events.get('IS_IGNITION_ON')).toBe(true)
    }
  })

  test('dies or is pulled out in the middle of drives: then they end with its last word', () => {
    for (const recording of [after(deaths({ share: 1 })), after(unpluggedWhileDriving({ share: 1 }))])
      for (const [i, { drive, endMs, distanceM }] of recording.truth.trips.entries()) {
        const whole = clean.truth.trips[i]
        expect(endMs).toBeLessThan(drive.endMs)
        expect(distanceM).toBeLessThan(whole?.distanceM ?? 0)
        const later = recording.readings.filter(({ timeMs }) => timeMs > endMs && timeMs <= drive.endMs)
        expect(later).toEqual([])
        expect(recording.readings.some(({ timeMs }) => timeMs === endMs)).toBe(true)
      }
  })
})

const jumps = { ...always, leastBackMs: MINUTE_MS, mostBackMs: 5 * MINUTE_MS }
test.each([
  ['that jump back for a while', clockJumps(jumps)],
  ['that are in the wrong round before the first fix', clockBeforeFix({ share: 1, leastMs: 0, mostMs: MINUTE_MS })],
])('clocks %s date some readings wrong, each with a timestamp of its own, and lose none', (_name, disturbance) => {
  const wrong = after(disturbance)
  const eventsOf = ({ readings }: Recording) => readings.map(({ events }) => JSON.stringify([...events])).sort()
  expect(eventsOf(wrong)).toEqual(eventsOf(clean))
  expect(samplesOf(wrong)).toHaveLength(wrong.readings.length)
  const rightMs = new Set(clean.readings.map(({ timeMs }) => timeMs))
  const moved = wrong.readings.filter(({ timeMs }) => !rightMs.has(timeMs))
  expect(moved.length).toBeGreaterThan(clean.truth.trips.length)
  expect(wrong.truth).toEqual(clean.truth)
})
