import { fold } from '../../derive/trips/fold.ts'
import type { DerivedTrip } from '../../derive/trips/trip.ts'
import type { DeviceId, Position } from '../../intake/sample.ts'
import { DISTURBANCES } from '../../simulation/disturbances/all-disturbances.ts'
import { type Disturbance, disturb } from '../../simulation/disturbances/disturbance.ts'
import { sensesIgnition } from '../../simulation/dongle.ts'
import { randomRecording } from '../../simulation/random-recording.ts'
import { type Recording, samplesOf } from '../../simulation/recording.ts'
import { type ExpectedDrive, expectedDrives, joinedAsFound } from './expected-drives.ts'
import type { MeasuredKind } from './kinds.ts'
import { distanceFromWays, pointsOf } from './line-error.ts'

/** Which drives are measured. */
export interface CellWishes {
  readonly kind: MeasuredKind
  /** Seconds between two records. */
  readonly cadenceS: number
  readonly isDisturbed: boolean
  readonly devices: number
  readonly seed: number
  /** Instead of all disturbances: only these, by their names. */
  readonly disturbances?: readonly string[]
}

/** How well the drives of one kind of dongle at one cadence are found. */
export interface CellScore {
  readonly drives: number
  readonly found: number
  readonly f1: number
  /** All trips that were found against all drives; negative when too little was found. */
  readonly distanceError: number
  readonly medianTripError: number
  /** How far a line leads from where the car was at most; undefined without any line. */
  readonly farthestM: number | undefined
  /** Drives that were not found, and trips that nobody drove, by the number of the device. */
  readonly misses: readonly Miss[]
}

export interface Miss {
  readonly device: number
  readonly drive?: ExpectedDrive
  readonly trip?: DerivedTrip
}

const DRIVES = 10
const FROM_MS = Date.UTC(2026, 2, 2, 6)
/** Every fifth car is driven on Taveuni, over the antimeridian. */
const TAVEUNI: Position = { lon: 179.995, lat: -16.85 }
const TAVEUNI_EVERY = 5

/** What one dongle of the cell records; the same drives for every kind, cadence and disturbance. */
export function cellRecording(wishes: CellWishes, device: number): Recording {
  const { kind, cadenceS, isDisturbed } = wishes
  const seed = wishes.seed * 1000 + device + 1
  const recording = randomRecording({
    deviceId: (351_000_000_000_000 + seed * 37) as DeviceId,
    kind: { ...kind.kind, fixS: cadenceS },
    fromMs: FROM_MS,
    drivesByCar: [DRIVES],
    seed,
    isHybrid: kind.isHybrid ?? false,
    ...(device % TAVEUNI_EVERY === TAVEUNI_EVERY - 1 && { town: TAVEUNI }),
  })
  return isDisturbed ? disturb(recording, disturbancesFor(kind, wishes.disturbances), seed) : recording
}

/** For whoever does not sense the ignition, being towed is a drive. */
function disturbancesFor({ kind, isHybrid }: MeasuredKind, only: readonly string[] | undefined): Disturbance[] {
  return Object.entries(DISTURBANCES)
    .filter(([name]) => name !== 'towing' || sensesIgnition(kind, { isHybrid: isHybrid ?? false }))
    .filter(([name]) => only === undefined || only.includes(name))
    .map(([, disturbance]) => disturbance)
}

const SECOND_MS = 1000
/** Both ends of a trip may be off by so much, or by one interval if that is longer. */
const TOLERANCE_MS = 60 * SECOND_MS

/** Folds what the dongles of a cell record, and compares. */
export function measureCell(wishes: CellWishes): CellScore {
  const toleranceMs = Math.max(TOLERANCE_MS, wishes.cadenceS * SECOND_MS)
  const devices = Array.from({ length: wishes.devices }, (_, device) =>
    compared(cellRecording(wishes, device), toleranceMs),
  )
  const sum = (of: (device: Compared) => number) => devices.reduce((total, device) => total + of(device), 0)
  const [drives, found, right] = [
    sum(device => device.drives),
    sum(device => device.found),
    sum(device => device.right),
  ]
  const errors = devices.flatMap(device => device.tripErrors).sort((a, b) => a - b)
  const farthest = devices.flatMap(({ farthestM }) => farthestM ?? [])
  return {
    drives,
    found,
    f1: (2 * right) / (drives + found),
    distanceError: shareOff(
      sum(device => device.foundM),
      sum(device => device.leastM),
      sum(device => device.mostM),
    ),
    medianTripError: errors[Math.floor(errors.length / 2)] ?? Number.NaN,
    farthestM: farthest.length === 0 ? undefined : Math.max(...farthest),
    misses: devices.flatMap(({ missed, invented }, device) => [
      ...missed.map(drive => ({ device, drive })),
      ...invented.map(trip => ({ device, trip })),
    ]),
  }
}

interface Compared {
  /** Drives that had to be found, trips that were found, and those that are both. */
  readonly drives: number
  readonly found: number
  readonly right: number
  readonly foundM: number
  readonly leastM: number
  readonly mostM: number
  readonly tripErrors: readonly number[]
  readonly farthestM: number | undefined
  readonly missed: readonly ExpectedDrive[]
  readonly invented: readonly DerivedTrip[]
}

function compared(recording: Recording, toleranceMs: number): Compared {
  const { trips } = fold(undefined, samplesOf(recording))
  const expected = joinedAsFound(expectedDrives(recording), trips)
  const matches = matchesOf(expected, trips, toleranceMs)
  const right = matches.filter(({ drive }) => drive.isWitnessed).length
  return {
    drives: expected.filter(({ isWitnessed }) => isWitnessed).length,
    found: trips.length - (matches.length - right),
    right,
    foundM: sumOf(trips.map(({ distanceM }) => distanceM)),
    leastM: sumOf(expected.map(({ distanceM, isWitnessed }) => (isWitnessed ? distanceM : 0))),
    mostM: sumOf(expected.map(({ mostM }) => mostM)),
    tripErrors: matches.map(({ drive, trip }) => Math.abs(shareOff(trip.distanceM, drive.distanceM, drive.mostM))),
    farthestM: farthestOf(recording, trips),
    missed: expected.filter(drive => drive.isWitnessed && matches.every(match => match.drive !== drive)),
    invented: trips.filter(trip => matches.every(match => match.trip !== trip)),
  }
}

interface Match {
  readonly drive: ExpectedDrive
  readonly trip: DerivedTrip
}

/** Each trip and each drive counts once. */
function matchesOf(expected: readonly ExpectedDrive[], trips: readonly DerivedTrip[], toleranceMs: number): Match[] {
  const free = new Set(trips)
  return expected.flatMap(drive => {
    const trip = [...free].find(
      ({ startMs, endMs }) =>
        startMs >= drive.earliestStartMs - toleranceMs &&
        startMs <= drive.startMs + toleranceMs &&
        endMs >= drive.endMs - toleranceMs &&
        endMs <= drive.latestEndMs + toleranceMs,
    )
    if (!trip) return []
    free.delete(trip)
    return [{ drive, trip }]
  })
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** By which share a length is outside of the range. */
function shareOff(foundM: number, leastM: number, mostM: number): number {
  if (foundM < leastM) return foundM / leastM - 1
  return foundM > mostM ? foundM / mostM - 1 : 0
}

function farthestOf({ truth }: Recording, trips: readonly DerivedTrip[]): number | undefined {
  const fromWays = distanceFromWays(truth.stints)
  const points = trips.flatMap(({ route }) => pointsOf(route.text))
  return points.length === 0 ? undefined : points.reduce((farthest, point) => Math.max(farthest, fromWays(point)), 0)
}
