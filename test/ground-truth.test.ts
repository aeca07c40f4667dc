import { describe, expect, it } from 'vitest'
import { type ExpectedTrip, matchesOf, type Score, scoreOf } from '../lab/score/trips.ts'
import { DISTURBANCES, type DisturbanceName } from '../lab/simulation/disturbances/all-disturbances.ts'
import { type Disturbance, disturb } from '../lab/simulation/disturbances/disturbance.ts'
import type { DongleKind } from '../lab/simulation/dongle.ts'
import { randomRecording } from '../lab/simulation/random-recording.ts'
import { type Recording, type Stint, samplesOf } from '../lab/simulation/recording.ts'
import { intervalsOf, LIST_KINDS, type ListKind, listTextIn, readList } from '../src/derive/dtcs/dtc-intervals.ts'

import { fold } from '../src/derive/trips/fold.ts'
import type { DeviceId, Sample } from '../src/model/sample.ts'
import { IS_DEEP } from './deep.ts'
import { DONGLES } from './simulated-drives.ts'

/** Rare in practice and in tests of trackers; the others happen in every fleet every day. */
const RARE_DISTURBANCES: ReadonlySet<DisturbanceName> = new Set([
  'stuckSpeed',
  'charging',
  'vibration',
  'jitter',
  'ignitionTries',
  'longTunnels',
  'longSilences',
  'silences',
  'heldFixes',
  'spoofing',
  'oldFirstFixes',
  'factoryFixes',
  'halfZeroFixes',
  'clusterSwaps',
  'milesFromNowOn',
  'fastOdometers',
  'zeroOdometers',
])

const DEVICES = IS_DEEP ? 40 : 10
/** Longer drives have more samples, and rarely anything else. */
const LONGEST_DRIVE_M = IS_DEEP ? 40_000 : 12_000
/** In one car and then in another. */
const DRIVES_BY_CAR = [6, 4]

const recordings = new Map<string, Recording>()

/** The same again for each test, so it is made once. */
function recordingOf(kind: DongleKind, seed: number): Recording {
  const key = `${JSON.stringify(kind)} ${seed}`
  const recording = recordings.get(key) ?? recordedAnew(kind, seed)
  recordings.set(key, recording)
  return recording
}

function recordedAnew(kind: DongleKind, seed: number): Recording {
  return randomRecording({
    deviceId: (351_000_000_000_000 + seed) as DeviceId,
    kind,
    fromMs: Date.UTC(2026, 2, 2, 6),
    drivesByCar: DRIVES_BY_CAR,
    longestM: LONGEST_DRIVE_M,
    seed,
  })
}

/** Both ends of a trip may be off by this, and by as long as the dongle says nothing of it. */
const TOLERANCE_MS = 10_000

/** A dongle that feels motion only cannot know that a driver waits before the first metre, and after the last. */
function expectedTrips({ truth }: Recording, { awareness }: DongleKind): ExpectedTrip[] {
  if (awareness !== 'motion') return [...truth.trips]
  return truth.trips.map(({ movesFromMs, movesUntilMs, distanceM }) => ({
    startMs: movesFromMs,
    endMs: movesUntilMs,
    distanceM,
  }))
}

function scoreOfDrives(kind: DongleKind, disturbances: readonly Disturbance[]): Score {
  return scoreOf(
    Array.from({ length: DEVICES }, (_, i) => {
      const recording = disturb(recordingOf(kind, i + 1), disturbances, i + 1)
      const found = fold(undefined, samplesOf(recording)).trips
      const expected = expectedTrips(recording, kind)
      const matches = matchesOf(expected, found, TOLERANCE_MS + 2 * kind.fixS * 1000)
      return { expected: expected.length, found: found.length, matches }
    }),
  )
}

/** With TEST_LOG set: how far the figures are from their limits. */
function report(what: string, { expected, found, f1, distanceError, medianDistanceError }: Score): void {
  if (!process.env.TEST_LOG) return
  const percent = (share: number) => `${(share * 100).toFixed(2)} %`
  console.info(
    `${what}: ${expected} drives, ${found} trips, F1 ${f1.toFixed(4)}, distance off by ${percent(distanceError)}, ` +
      `in median by ${percent(medianDistanceError)}`,
  )
}

const { towing } = DISTURBANCES

/** For who feels motion only, being towed is a drive. `accuracy.test.ts` has the rare ones as well. */
function disturbancesOf({ awareness }: DongleKind): Disturbance[] {
  return (Object.keys(DISTURBANCES) as DisturbanceName[])
    .filter(name => !RARE_DISTURBANCES.has(name) && (awareness !== 'motion' || name !== 'towing'))
    .map(name => DISTURBANCES[name])
}

describe.each(Object.entries(DONGLES))('drives recorded by a dongle that knows: %s', (name, kind) => {
  it('are found with their ends and lengths', () => {
    const score = scoreOfDrives(kind, [])
    report(`${name}, clean`, score)
    expect(score.expected).toBe(DEVICES * 10)
    expect(score.f1).toBeGreaterThanOrEqual(0.99)
    expect(score.distanceError).toBeLessThanOrEqual(0.01)
  })

  it('are found through drift, tunnels, garages, reboots, wrong clocks and all the rest at once', () => {
    const score = scoreOfDrives(kind, disturbancesOf(kind))
    report(`${name}, disturbed`, score)
    expect(score.f1).toBeGreaterThanOrEqual(0.95)
    expect(score.distanceError).toBeLessThanOrEqual(0.03)
  })
})

it.each(['ignition', 'engine'] as const)(
  'a car that is towed with its engine off makes no trip for a dongle that knows: %s',
  name => {
    const score = scoreOfDrives(DONGLES[name], [towing])
    expect(score.found).toBe(score.expected)
    expect(score.f1).toBe(1)
  },
)

it('an odometer of whole kilometres makes no trip longer or shorter than it was', () => {
  const score = scoreOf(
    Array.from({ length: DEVICES }, (_, i) => {
      const recording = randomRecording({
        deviceId: (351_000_000_000_000 + i) as DeviceId,
        kind: DONGLES.ignition,
        fromMs: Date.UTC(2026, 2, 2, 6),
        drivesByCar: DRIVES_BY_CAR,
        seed: i + 1,
        odometerStepM: 1000,
      })
      const found = fold(undefined, samplesOf(recording)).trips
      const expected = recording.truth.trips
      return { expected: expected.length, found: found.length, matches: matchesOf(expected, found, TOLERANCE_MS) }
    }),
  )
  report('whole kilometres', score)
  expect(score.matches).toHaveLength(score.expected)
  expect(score.distanceError).toBeLessThanOrEqual(0.02)
})

const KIND_OF_FAULT = { PERMANENT: 'permanent', SPORADIC: 'sporadic' } as const satisfies Record<ListKind, string>

// Not those of clocks: what a wrong clock revisions is wrong by that much.
const { clockBeforeFix: _, minutesBack: __, hoursBack: ___, ...withRightClock } = DISTURBANCES

it('fault codes are found exactly, from the first list that has them to the first one that no longer does', () => {
  let faults = 0
  for (let seed = 1; seed <= DEVICES; seed++) {
    const recording = disturb(recordingOf(DONGLES.ignition, seed), Object.values(withRightClock), seed)
    const samples = samplesOf(recording)
    for (const stint of recording.truth.stints)
      for (const kind of LIST_KINDS) {
        const expected = witnessed(recording, stint, kind)
        expect(derived(samples, stint, kind)).toEqual(expected)
        faults += expected.length
      }
  }
  expect(faults).toBeGreaterThan(2.5 * DEVICES)
})

interface SeenFault {
  readonly code: string
  readonly recordedMs: number
  readonly deletedMs: number | undefined
}

const byCode = (a: SeenFault, b: SeenFault) => (a.code < b.code ? -1 : 1)

/** What lists can show of the faults that the car had while the dongle was in it. */
function witnessed({ readings }: Recording, { faults, fromMs, toMs }: Stint, kind: ListKind): SeenFault[] {
  const listedMs = readings
    .filter(({ timeMs, events }) => events.has(`OBD_DTC_${kind}`) && fromMs <= timeMs && timeMs <= toMs)
    .map(({ timeMs }) => timeMs)
  return faults
    .filter(fault => fault.kind === KIND_OF_FAULT[kind])
    .flatMap(fault => {
      const recordedMs = listedMs.find(timeMs => timeMs >= fault.fromMs)
      const deletedMs = fault.toMs === undefined ? undefined : listedMs.find(timeMs => timeMs >= (fault.toMs ?? 0))
      return recordedMs === undefined || recordedMs === deletedMs ? [] : [{ code: fault.code, recordedMs, deletedMs }]
    })
    .sort(byCode)
}

function derived(samples: readonly Sample[], { fromMs, toMs }: Stint, kind: ListKind): SeenFault[] {
  const lists = samples
    .filter(({ timeMs }) => fromMs <= timeMs && timeMs <= toMs)
    .flatMap(sample => {
      const text = listTextIn(sample, kind)
      return text === undefined ? [] : [readList(sample.timeMs, text)]
    })
  return intervalsOf(lists)
    .map(({ code, recordedMs, deletedMs }) => ({ code, recordedMs, deletedMs }))
    .sort(byCode)
}
