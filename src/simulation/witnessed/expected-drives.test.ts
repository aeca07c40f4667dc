import { describe, expect, test } from 'vitest'
import type { DeviceId } from '../../intake/sample.ts'
import { type Disturbance, disturb } from '../disturbances/disturbance.ts'
import { undergroundGarages } from '../disturbances/hidden-ends.ts'
import { deaths, silentWhileDriving } from '../disturbances/silence.ts'
import { type KindName, kindNamed } from '../kinds-of-dongles.ts'
import { randomRecording } from '../random-recording.ts'
import type { Recording } from '../recording.ts'
import { expectedDrives } from './expected-drives.ts'

const MINUTE_MS = 60_000

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

test.each(['motion', 'positions', 'phone', 'hybrid', 'odometer'] as const)('%s is asked for the motion', name => {
  const recording = recordedBy(name, 10)
  for (const [i, { startMs, endMs, isWitnessed }] of expectedDrives(recording).entries()) {
    expect(startMs).toBe(recording.truth.trips[i]?.movesFromMs)
    expect(endMs).toBe(recording.truth.trips[i]?.movesUntilMs)
    expect(isWitnessed).toBe(true)
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

test('a wired ignition may join drives over a short stay', () => {
  const [first, second] = expectedDrives(recordedBy('wired-on', 10))
  expect(first?.joinsNextBelowMs).toBe(60 * MINUTE_MS)
  expect((first?.startMs ?? 0) - (first?.earliestStartMs ?? 0)).toBe(60 * MINUTE_MS)
  expect(second?.earliestStartMs).toBe(second?.startMs)
})
