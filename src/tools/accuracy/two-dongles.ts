import { requiredEventType } from '../../catalogue/event-types.ts'
import { fold } from '../../facts/trips/derive/fold.ts'
import { type MeasuredTrip, supersededTrips } from '../../facts/trips/derive/overlaps/one-at-a-time.ts'
import type { DerivedTrip } from '../../facts/trips/derive/trip.ts'
import type { DeviceId } from '../../model/sample.ts'
import { compareDevice } from '../score/device-comparison.ts'
import { type KindName, kindNamed } from '../simulation/kinds-of-dongles.ts'
import { samplesOf } from '../simulation/recording.ts'
import type { Drive } from '../simulation/schedule.ts'
import { trueTripOf } from '../simulation/truth.ts'
import { type ExpectedDrive, expectedDrives } from '../simulation/witnessed/expected-drives.ts'
import { cellRecording, toleranceAt } from './cell.ts'

interface PairedDongle {
  readonly kind: KindName
  readonly cadenceS: number
}

export type Pair = readonly [PairedDongle, PairedDongle]

/** Two dongles in one car: one on the diagnostic port and a tracker, an old and a new one during a changeover, a phone that comes along. */
export const PAIRS: readonly Pair[] = [
  [
    { kind: 'everything', cadenceS: 10 },
    { kind: 'everything', cadenceS: 10 },
  ],
  [
    { kind: 'everything', cadenceS: 10 },
    { kind: 'positions', cadenceS: 60 },
  ],
  [
    { kind: 'everything', cadenceS: 60 },
    { kind: 'no-odometer', cadenceS: 10 },
  ],
  [
    { kind: 'no-odometer', cadenceS: 10 },
    { kind: 'motion', cadenceS: 30 },
  ],
  [
    { kind: 'ignition-positions', cadenceS: 60 },
    { kind: 'phone', cadenceS: 10 },
  ],
]

/** How well the drives of cars with two dongles are found. */
export interface PairScore {
  readonly drives: number
  readonly found: number
  readonly f1: number
  /** The trips that count against the drives. */
  readonly kilometreError: number
}

interface PairWishes {
  readonly isDisturbed: boolean
  readonly cars: number
  readonly seed: number
}

interface PairedTrip extends DerivedTrip, MeasuredTrip {}

/** What one of the dongles recorded: the drives that it could witness, and the trips that follow from its records. */
interface Told {
  readonly drives: readonly ExpectedDrive[]
  readonly trips: readonly PairedTrip[]
  readonly toleranceMs: number
}

/** Both dongles record the same drives, each with disturbances of its own; of trips that overlap, one counts. */
export function measurePair(pair: Pair, { cars, ...wishes }: PairWishes): PairScore {
  const ofCars = Array.from({ length: cars }, (_, car) =>
    compareCar(pair.map((dongle, place) => toldBy(dongle, place, car, wishes))),
  )
  const sum = (of: (car: (typeof ofCars)[number]) => number) => ofCars.reduce((total, car) => total + of(car), 0)
  const right = sum(car => car.right)
  const wrong = sum(car => car.wrong)
  return {
    drives: sum(car => car.drives),
    found: right + wrong,
    f1: (2 * right) / (2 * right + sum(car => car.missed) + wrong),
    kilometreError: sum(car => car.foundM) / sum(car => car.drivenM) - 1,
  }
}

const MILEAGE = String(requiredEventType('MILEAGE').id)

function toldBy({ kind, cadenceS }: PairedDongle, place: number, car: number, wishes: Omit<PairWishes, 'cars'>): Told {
  const recording = cellRecording({ ...wishes, kind: kindNamed(kind), cadenceS, devices: 1 }, car, place)
  const { trips } = fold(undefined, samplesOf(recording))
  return {
    drives: expectedDrives(recording),
    trips: trips.map(trip => ({
      ...trip,
      deviceId: (place + 1) as DeviceId,
      isOpen: trip.isRunning,
      hasOdometer: MILEAGE in trip.meters,
    })),
    toleranceMs: toleranceAt(cadenceS),
  }
}

/** A trip that counts is right if its dongle had to find it; a second one of the same drive is wrong. */
function compareCar(dongles: readonly Told[]) {
  const superseded = supersededTrips(dongles.flatMap(({ trips }) => trips))
  const drives = witnessedByAny(dongles)
  const found = new Set<Drive>()
  let [right, wrong, foundM] = [0, 0, 0]
  for (const { trips, toleranceMs, drives: expected } of dongles) {
    const counting = trips.filter(trip => !superseded.has(trip))
    const invented = new Set(compareDevice(expected, counting, toleranceMs).invented)
    for (const trip of counting) {
      const driven = drives.filter(({ startMs, endMs }) => trip.startMs < endMs && startMs < trip.endMs)
      foundM += trip.distanceM
      if (invented.has(trip) || (driven.length > 0 && driven.every(drive => found.has(drive)))) wrong++
      else if (driven.length > 0) right++
      if (!invented.has(trip)) for (const drive of driven) found.add(drive)
    }
  }
  const drivenM = drives.reduce((total, drive) => total + trueTripOf(drive).distanceM, 0)
  return { drives: drives.length, right, wrong, missed: drives.length - found.size, foundM, drivenM }
}

/** The drives that at least one of the dongles had to find. */
function witnessedByAny(dongles: readonly Told[]): Drive[] {
  const byStart = new Map<number, Drive>()
  for (const { drives } of dongles)
    for (const { drive, isWitnessed } of drives) if (isWitnessed) byStart.set(drive.startMs, drive)
  return [...byStart.values()]
}
