import { describe, expect, test } from 'vitest'
import type { DeviceId } from '../../src/model/sample.ts'
import { KINDS_OF_DONGLES, type KindName, kindNamed } from './kinds-of-dongles.ts'
import { randomRecording } from './random-recording.ts'
import type { Reading } from './readings.ts'
import type { Recording } from './recording.ts'

const SECOND_MS = 1000

function recordedBy(name: KindName, everyS: number): Recording {
  const { kind, isHybrid = false } = kindNamed(name)
  return randomRecording({
    deviceId: 351_000_000_000_000 as DeviceId,
    kind: { ...kind, fixS: everyS },
    fromMs: Date.UTC(2026, 2, 2, 6),
    drivesByCar: [6],
    seed: 8,
    isHybrid,
  })
}

const typesOf = ({ readings }: Recording) => new Set(readings.flatMap(({ events }) => [...events.keys()]))
const ofDrives = ({ readings }: Recording) => readings.filter(({ drive }) => drive !== undefined)
const isEnd = ({ timeMs, drive }: Reading) => timeMs === drive?.startMs || timeMs === drive?.endMs

describe.each(KINDS_OF_DONGLES.map(({ name }) => name))('%s', name => {
  test.each([10, 60, 300])('tells on a drive every %i s', everyS => {
    const recording = recordedBy(name, everyS)
    const regular = ofDrives(recording).filter(
      reading => !isEnd(reading) && !reading.events.has('WARNING_OVERSPEEDING'),
    )
    expect(regular.length).toBeGreaterThan(5)
    const steps = regular.slice(1).flatMap(({ timeMs, drive }, i) => {
      const before = regular[i]
      return before?.drive === drive ? [timeMs - (before?.timeMs ?? 0)] : []
    })
    expect(new Set(steps)).toEqual(new Set([everyS * SECOND_MS]))
  })

  test.each([10, 60, 300])('tells at most every four minutes while parked, every %i s or not', everyS => {
    const { readings, dongle } = recordedBy(name, everyS)
    const lingersMs = dongle.intervals.lingersMs
    const asleep = readings.filter(({ timeMs, drive }, i) => {
      const driven = readings.slice(0, i).findLast(reading => reading.drive !== undefined)
      return drive === undefined && driven !== undefined && timeMs > (driven.drive?.endMs ?? 0) + lingersMs
    })
    const steps = asleep.slice(1).map(({ timeMs }, i) => timeMs - (asleep[i]?.timeMs ?? 0))
    expect(Math.min(Number.POSITIVE_INFINITY, ...steps)).toBeGreaterThanOrEqual(Math.max(240, everyS) * SECOND_MS)
  })

  test('tells nothing but what it is said to tell', () => {
    const { kind } = kindNamed(name)
    for (const everyS of [10, 120]) {
      const types = typesOf(recordedBy(name, everyS))
      expect([...types].filter(type => kind.tellsOnly?.includes(type) === false)).toEqual([])
      expect(types.has('IS_IGNITION_ON')).toBe(['ignition', 'wired ignition'].includes(kind.awareness))
      expect(types.has('MILEAGE')).toBe(kind.tellsOnly ? kind.tellsOnly.includes('MILEAGE') : kind.readsOdometer)
    }
  })
})

test('who knows the ignition tells the moments of change; who does not, tells none of them', () => {
  for (const name of ['everything', 'ignition-positions', 'engine'] as const)
    expect(ofDrives(recordedBy(name, 60)).filter(isEnd)).toHaveLength(12)
  for (const name of ['hybrid', 'motion', 'positions', 'odometer', 'wired-on', 'speed'] as const)
    expect(ofDrives(recordedBy(name, 60)).filter(isEnd)).toHaveLength(0)
})

test('a rare record holds everything at once, also of a parked car', () => {
  const { readings } = recordedBy('everything', 120)
  const regular = readings.filter(reading => !isEnd(reading) && reading.events.has('POSITION'))
  const whole = regular.filter(({ events }) => events.has('MILEAGE') && events.has('IS_IGNITION_ON'))
  // But what is told at once because the driver was careless.
  expect(whole.length).toBeGreaterThan(regular.length * 0.9)
  expect(whole.some(({ drive, events }) => drive && events.has('VEHICLE_SPEED_AVERAGE'))).toBe(true)
})

test('the mean speed of a rare record is that of all its interval', () => {
  const { readings, truth } = recordedBy('speed', 300)
  let [drivenM, toldM] = [0, 0]
  for (const { drive } of truth.trips) {
    const ofDrive = readings.filter(reading => reading.drive === drive)
    const last = ofDrive.at(-1)
    if (!last) continue
    toldM += ofDrive.reduce((sum, { events }) => sum + (Number(events.get('VEHICLE_SPEED_AVERAGE')) / 3.6) * 300, 0)
    drivenM += drive.plan.stretches.reduce((metres, { fromMs, fromM }) => {
      return fromMs <= last.timeMs - drive.startMs ? fromM : metres
    }, 0)
  }
  expect(Math.abs(toldM / drivenM - 1)).toBeLessThan(0.03)
})

test('the engine of a hybrid is off at standstill, on at speed, and never on in some drives', () => {
  const { readings, truth } = recordedBy('hybrid', 1)
  const states = readings.flatMap(({ drive, events }) => {
    const isOn = events.get('ENGINE_STATE')
    return drive && isOn !== undefined ? [{ drive, isOn, kmh: Number(events.get('GPS_SPEED') ?? Number.NaN) }] : []
  })
  expect(states.filter(({ kmh }) => kmh < 1).some(({ isOn }) => isOn === true)).toBe(false)
  expect(states.some(({ isOn, kmh }) => isOn === false && kmh > 20)).toBe(true)
  const wholly = truth.trips.filter(({ drive }) => states.every(state => state.drive !== drive || state.isOn === false))
  expect(wholly.length).toBeLessThan(truth.trips.length)
  const fast = states.filter(({ drive, kmh }) => kmh > 60 && !wholly.some(trip => trip.drive === drive))
  expect(fast.length).toBeGreaterThan(20)
  expect(fast.every(({ isOn }) => isOn === true)).toBe(true)
})

test('a wired ignition is never off, and a phone is silent from ten minutes after a drive on', () => {
  const wired = recordedBy('wired-on', 60).readings.map(({ events }) => events.get('IS_IGNITION_ON'))
  expect(new Set(wired.filter(isOn => isOn !== undefined))).toEqual(new Set([true]))
  const phone = recordedBy('phone', 60)
  const drives = phone.truth.trips.map(({ drive }) => drive)
  for (const { timeMs } of phone.readings)
    expect(drives.some(({ startMs, endMs }) => startMs <= timeMs && timeMs <= endMs + 600_000)).toBe(true)
  expect(phone.readings.some(({ drive }) => drive === undefined)).toBe(true)
})

test('roads and fixes go on over the antimeridian', () => {
  const recordings = [1, 2, 3, 4].map(seed =>
    randomRecording({
      deviceId: 351_000_000_000_000 as DeviceId,
      kind: { ...kindNamed('positions').kind, fixS: 5 },
      fromMs: Date.UTC(2026, 2, 2, 6),
      drivesByCar: [6],
      seed,
      town: { lon: 179.995, lat: -16.85 },
    }),
  )
  const lons = recordings
    .flatMap(({ readings }) => readings)
    .flatMap(({ events }) => {
      const position = events.get('POSITION')
      return typeof position === 'object' ? [position.lon] : []
    })
  expect(lons.some(lon => lon > 179)).toBe(true)
  expect(lons.some(lon => lon < -179)).toBe(true)
  expect(lons.every(lon => Math.abs(lon) <= 180 && Math.abs(lon) > 178)).toBe(true)
})
