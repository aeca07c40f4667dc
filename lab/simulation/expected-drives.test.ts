import { describe, expect, test } from 'vitest'
import type { DeviceId } from '../../src/model/sample.ts'
import { type Disturbance, disturb, replaced, without } from './disturbances/disturbance.ts'
import { clockJumps, deaths, silentWhileDriving, undergroundGarages } from './disturbances/dongle-faults.ts'
import { factoryFixes, spoofing } from './disturbances/positions.ts'
import { motionAt } from './drive-plan.ts'
import { expectedDrives } from './expected-drives.ts'
import { type KindName, kindNamed } from './kinds-of-dongles.ts'
import { randomRecording } from './random-recording.ts'
import type { Recording } from './recording.ts'

const MINUTE_MS = 60_000
/** At the speed of a town, and some more. */
const METRES_IN_10_S = 250

interface Wishes {
  readonly shortestM?: number
  readonly longestM?: number
}

function recordedBy(name: KindName, everyS: number, wishes: Wishes = {}): Recording {
  const { kind, isHybrid = false } = kindNamed(name)
  return randomRecording({
    deviceId: 351_000_000_000_000 as DeviceId,
    kind: { ...kind, fixS: everyS },
    fromMs: Date.UTC(2026, 2, 2, 6),
    drivesByCar: [12],
    seed: 8,
    isHybrid,
    ...wishes,
  })
}

const after = (disturbance: Disturbance, recording: Recording) => disturb(recording, [disturbance], 3)

test('who knows the ignition is asked for all of each drive', () => {
  for (const everyS of [5, 300]) {
    const recording = recordedBy('everything', everyS)
    const expected = expectedDrives(recording)
    expect(expected.map(({ startMs, endMs }) => [startMs, endMs])).toEqual(
      recording.truth.trips.map(({ startMs, endMs }) => [startMs, endMs]),
    )
    expect(expected.every(({ isWitnessed, endMs, latestEndMs }) => isWitnessed && endMs === latestEndMs)).toBe(true)
  }
})

test.each(['motion', 'positions', 'phone', 'hybrid'] as const)('%s is asked for the motion', name => {
  const recording = recordedBy(name, 10)
  for (const [i, { drive, earliestStartMs, startMs, endMs, isWitnessed }] of expectedDrives(recording).entries()) {
    const { movesFromMs = 0, movesUntilMs } = recording.truth.trips[i] ?? {}
    const leftM = motionAt(drive.plan, startMs - drive.startMs - 10_000).metres
    // Who has positions only does not ask when a car began to move that waits around the corner.
    expect(startMs === movesFromMs || leftM < 150).toBe(true)
    expect(earliestStartMs).toBe(movesFromMs)
    expect(endMs).toBe(movesUntilMs)
    expect(isWitnessed).toBe(true)
  }
})

test('an odometer alone tells both ends within one of its steps', () => {
  const recording = recordedBy('odometer', 10)
  const expected = expectedDrives(recording)
  for (const [i, { earliestStartMs, startMs, endMs, latestEndMs, distanceM, mostM }] of expected.entries()) {
    const { movesFromMs = 0, movesUntilMs = 0, distanceM: drivenM = 0 } = recording.truth.trips[i] ?? {}
    expect(earliestStartMs).toBeLessThanOrEqual(movesFromMs)
    expect(startMs).toBeGreaterThanOrEqual(movesFromMs)
    expect(endMs).toBeLessThanOrEqual(movesUntilMs)
    expect(latestEndMs).toBeGreaterThanOrEqual(movesUntilMs)
    const stepM = recording.truth.stints[0]?.schedule.car.odometerStepM ?? 0
    expect(drivenM - distanceM).toBeLessThan(2 * stepM + 2 * METRES_IN_10_S)
    expect(mostM).toBeCloseTo(drivenM, -1)
  }
})

test('what no record shows may be found, and need not be', () => {
  const shortM = { shortestM: 200, longestM: 400 }
  const isWitnessed = (name: KindName, everyS: number) =>
    expectedDrives(recordedBy(name, everyS, shortM)).map(drive => drive.isWitnessed)
  expect(isWitnessed('positions', 10)).not.toContain(false)
  // Within five minutes, who was driven three hundred metres was not faster than five kilometres an hour.
  expect(isWitnessed('positions', 300)).toContain(false)
  expect(isWitnessed('positions-odometer', 300)).not.toContain(false)
  expect(isWitnessed('everything', 300)).not.toContain(false)
})

const SPEEDS_OF_CAR = ['VEHICLE_SPEED_AVERAGE', 'VEHICLE_SPEED_MAX', 'VEHICLE_SPEED_MIN']

test('a hybrid that has not shown yet that it drives with its engine off may have been towed', () => {
  const recording = recordedBy('hybrid', 60)
  const isWitnessed = (of: Recording) => expectedDrives(of).map(drive => drive.isWitnessed)
  expect(isWitnessed(recording)).not.toContain(false)
  const [, second] = recording.truth.trips
  if (!second) throw new Error('there are two drives')
  /** What fixes alone tell, with the engine off, up to some time. */
  const quietUntil = (untilMs: number): Recording => ({
    ...recording,
    readings: recording.readings.map(reading =>
      reading.timeMs >= untilMs ? reading : replaced(without(reading, SPEEDS_OF_CAR), { ENGINE_STATE: false }),
    ),
  })
  expect(isWitnessed(quietUntil(Number.POSITIVE_INFINITY))).not.toContain(true)
  expect(isWitnessed(quietUntil(second.startMs))).toEqual([false, ...recording.truth.trips.slice(1).map(() => true)])
})

test('a drive that lies in a silence as a whole need not be found, and may have been at any time of it', () => {
  const plain = recordedBy('positions', 60, { shortestM: 2000, longestM: 5000 })
  const hidden = plain.truth.trips.find(({ movesFromMs, movesUntilMs }) => movesUntilMs - movesFromMs > 3 * MINUTE_MS)
  if (!hidden) throw new Error('there is a drive of some minutes')
  const { movesFromMs, movesUntilMs } = hidden
  const isHeard = ({ timeMs }: { readonly timeMs: number }) => timeMs < movesFromMs || timeMs > movesUntilMs
  const recording = { ...plain, readings: plain.readings.filter(isHeard) }
  const lastBeforeMs = recording.readings.findLast(({ timeMs }) => timeMs < movesFromMs)?.timeMs
  const firstAfterMs = recording.readings.find(({ timeMs }) => timeMs > movesUntilMs)?.timeMs
  expect(expectedDrives(recording)[plain.truth.trips.indexOf(hidden)]).toMatchObject({
    earliestStartMs: lastBeforeMs,
    startMs: firstAfterMs,
    endMs: lastBeforeMs,
    latestEndMs: firstAfterMs,
    isWitnessed: false,
  })
  // A dongle that reports as rarely while the car drives has missed no more than it usually does.
  const rare = {
    ...recording,
    dongle: { ...recording.dongle, intervals: { ...recording.dongle.intervals, stepMs: 5 * MINUTE_MS } },
  }
  expect(expectedDrives(rare)[plain.truth.trips.indexOf(hidden)]).toMatchObject({ isWitnessed: true })
  // A record on the way shows that it was not over yet.
  const heard = plain.readings.filter(({ timeMs }) => timeMs < movesFromMs + 2 * MINUTE_MS || timeMs > movesUntilMs)
  const [onTheWay] = expectedDrives({ ...plain, readings: heard }).slice(plain.truth.trips.indexOf(hidden))
  expect(onTheWay?.endMs).toBeGreaterThan(movesFromMs)
})

test('a single fix with which a dongle falls silent shows no drive', () => {
  const plain = recordedBy('positions', 60, { shortestM: 2000, longestM: 5000 })
  const [first] = plain.truth.trips
  if (!first) throw new Error('there is a drive')
  const witnessedAfter = (minutes: number) => {
    const untilMs = first.movesFromMs + minutes * MINUTE_MS
    const isHeard = ({ timeMs }: { readonly timeMs: number }) => timeMs < untilMs || timeMs > untilMs + 60 * MINUTE_MS
    return expectedDrives({ ...plain, readings: plain.readings.filter(isHeard) })[0]?.isWitnessed
  }
  expect([1, 2, 3].map(witnessedAfter)).toEqual([false, true, true])
})

describe('a dongle that dies on the way', () => {
  const dying = deaths({ share: 1 })

  test('is asked for what it told, when it knows the ignition', () => {
    const recording = after(dying, recordedBy('everything', 10))
    for (const [i, { endMs, latestEndMs }] of expectedDrives(recording).entries()) {
      expect(endMs).toBe(recording.truth.trips[i]?.endMs)
      expect(latestEndMs).toBe(endMs)
    }
  })

  test('may have been driven until it is heard again, when it does not and that is soon', () => {
    const expected = expectedDrives(after(dying, recordedBy('positions', 10)))
    const open = expected.filter(({ endMs, latestEndMs }) => latestEndMs > endMs)
    expect(open.length).toBeGreaterThan(0)
    expect(open.length).toBeLessThan(expected.length)
    for (const { endMs, latestEndMs, distanceM, mostM } of open) {
      expect(latestEndMs - endMs).toBeLessThanOrEqual(31 * MINUTE_MS)
      expect(mostM).toBeGreaterThan(distanceM)
    }
  })
})

describe('a silence of six minutes under way', () => {
  const silence = silentWhileDriving({ share: 1, leastMs: 6 * MINUTE_MS, mostMs: 6 * MINUTE_MS })
  const long = { shortestM: 10_000, longestM: 20_000 }

  test('is bridged by whoever knows the way', () => {
    for (const name of ['everything', 'motion', 'positions', 'odometer'] as const) {
      const plain = recordedBy(name, 10, long)
      const spans = (recording: Recording) => expectedDrives(recording).map(({ startMs, endMs }) => [startMs, endMs])
      expect(spans(after(silence, plain))).toEqual(spans(plain))
    }
  })

  test('cuts a drive of which nothing but the speed is known', () => {
    const plain = recordedBy('speed', 10, long)
    expect(expectedDrives(plain)).toHaveLength(12)
    const cut = expectedDrives(after(silence, plain))
    expect(cut).toHaveLength(24)
    const drivenM = cut.reduce((sum, { distanceM }) => sum + distanceM, 0)
    const wholeM = plain.truth.trips.reduce((sum, { distanceM }) => sum + distanceM, 0)
    expect(drivenM).toBeLessThan(wholeM * 0.9)
  })
})

test('a garage at the end of a drive leaves its end where the last record was, at the earliest', () => {
  const recording = after(undergroundGarages({ share: 1, mostMs: 30_000 }), recordedBy('positions', 10))
  for (const [i, { endMs, latestEndMs }] of expectedDrives(recording).entries()) {
    const movesUntilMs = recording.truth.trips[i]?.movesUntilMs ?? 0
    expect(endMs).toBeLessThanOrEqual(movesUntilMs)
    expect(movesUntilMs - endMs).toBeLessThan(45_000)
    expect(latestEndMs).toBeGreaterThanOrEqual(movesUntilMs)
  }
})

describe('false fixes at the start of a drive', () => {
  const hiddenMs = 90_000
  const factory = factoryFixes({ share: 1, leastMs: hiddenMs, mostMs: hiddenMs })

  test('leave the start open until the first true one, for a dongle that tells positions only', () => {
    const recording = after(factory, recordedBy('positions', 10))
    for (const [i, expected] of expectedDrives(recording).entries()) {
      const { movesFromMs = 0, drive } = recording.truth.trips[i] ?? {}
      const firstTrueMs = (drive?.startMs ?? 0) + hiddenMs
      const isHidden = firstTrueMs - movesFromMs > 20_000
      expect(expected.startMs).toBeGreaterThanOrEqual(isHidden ? firstTrueMs : movesFromMs)
      expect(expected.earliestStartMs).toBeLessThanOrEqual(movesFromMs)
      expect(expected.distanceM).toBeLessThanOrEqual(expected.mostM)
    }
  })

  test('hide hardly anything from a dongle that tells the speed of the car', () => {
    const plain = recordedBy('hybrid', 10)
    const expected = expectedDrives(after(factory, plain))
    for (const [i, { startMs }] of expectedDrives(plain).entries())
      expect(Math.abs((expected[i]?.startMs ?? 0) - startMs)).toBeLessThan(30_000)
  })
})

test('records of a drive that a wrong clock puts right before it look like its start', () => {
  const MINUTES_3 = 3 * MINUTE_MS
  const jumps = clockJumps({ share: 1, leastMs: 10_000, mostMs: 20_000, leastBackMs: MINUTES_3, mostBackMs: MINUTES_3 })
  const recording = after(jumps, recordedBy('positions', 10))
  const early = expectedDrives(recording).filter(({ earliestStartMs, startMs }) => earliestStartMs < startMs)
  expect(early.length).toBeGreaterThan(0)
  for (const { earliestStartMs, startMs } of early) expect(startMs - earliestStartMs).toBeLessThan(MINUTES_3)
})

test('a false fix and its speed show no motion', () => {
  const recording = recordedBy('motion', 300, { shortestM: 900, longestM: 1000 })
  const away = spoofing({ share: 1, leastMs: 1, mostMs: 10 * MINUTE_MS })
  const witnessed = (from: Recording) => expectedDrives(from).filter(({ isWitnessed }) => isWitnessed).length
  expect(witnessed(after(undergroundGarages({ share: 1, mostMs: 1 }), after(away, recording)))).toBeLessThan(
    witnessed(recording),
  )
})

test('a wired ignition may join drives over a short stay', () => {
  const [first, second] = expectedDrives(recordedBy('wired-on', 10))
  expect(first?.joinsNextBelowMs).toBe(60 * MINUTE_MS)
  expect((first?.startMs ?? 0) - (first?.earliestStartMs ?? 0)).toBe(60 * MINUTE_MS)
  expect(second?.earliestStartMs).toBe(second?.startMs)
})
