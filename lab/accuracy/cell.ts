import { requiredEventType } from '../../src/catalogue/event-types.ts'
import { fold } from '../../src/derive/trips/fold.ts'
import { type MeasuredTrip, supersededTrips } from '../../src/derive/trips/overlaps.ts'
import type { DerivedTrip } from '../../src/derive/trips/trip.ts'
import type { DeviceId, Position } from '../../src/model/sample.ts'
import { compareCar, type DongleInCar } from '../score/cars.ts'
import { compareDevice, type DeviceComparison, type Metres, metresOf, scoreOf, shareOff } from '../score/trips.ts'
import { DISTURBANCES, type DisturbanceName } from '../simulation/disturbances/all-disturbances.ts'
import { type Disturbance, disturb } from '../simulation/disturbances/disturbance.ts'
import { sensesIgnition } from '../simulation/dongle.ts'
import { expectedDrives } from '../simulation/expected-drives.ts'
import { type KindName, type KindOfDongle, kindNamed } from '../simulation/kinds-of-dongles.ts'
import { randomRecording } from '../simulation/random-recording.ts'
import { type Recording, samplesOf, trueTripOf } from '../simulation/recording.ts'
import { farthestFromTruthM } from './line-error.ts'

export interface CellWishes {
  readonly kind: KindOfDongle
  readonly cadenceS: number
  readonly isDisturbed: boolean
  readonly devices: number
  readonly seed: number
  readonly only?: ReadonlySet<DisturbanceName>
}

export interface CellScore extends DrivesScore {
  /** The farthest that any line is from where the car was; undefined without any line. */
  readonly farthestM: number | undefined
  readonly devices: readonly Pick<DeviceComparison<DerivedTrip>, 'missed' | 'invented'>[]
}

const SECOND_MS = 1000
/** Both ends of a trip may be off by this much, or by one interval if that is longer. */
const TOLERANCE_MS = 60 * SECOND_MS

function toleranceAt(cadenceS: number): number {
  return Math.max(TOLERANCE_MS, cadenceS * SECOND_MS)
}

export function measureCell(wishes: CellWishes, undisturbed = undisturbedRecording): CellScore {
  const toleranceMs = toleranceAt(wishes.cadenceS)
  const devices = Array.from({ length: wishes.devices }, (_, device) => {
    const recording = asWished(undisturbed(wishes, device), wishes, device)
    const { trips } = fold(undefined, samplesOf(recording))
    const drives = expectedDrives(recording)
    return {
      ...compareDevice(drives, trips, toleranceMs),
      metres: metresOf(drives, trips),
      farthestM: farthestFromTruthM(recording, trips),
    }
  })
  const farthest = devices.flatMap(device => device.farthestM ?? [])
  return {
    ...drivesScoreOf(devices),
    farthestM: farthest.length === 0 ? undefined : Math.max(...farthest),
    devices,
  }
}

/** How well drives are found. */
export interface DrivesScore {
  readonly drives: number
  readonly found: number
  readonly f1: number
  /** All trips that were found against all drives; negative when too little was found. */
  readonly kilometreError: number
  readonly medianTripError: number
}

export function drivesScoreOf(devices: readonly (DeviceComparison & { readonly metres: Metres })[]): DrivesScore {
  const { expected, found, f1, medianDistanceError } = scoreOf(devices)
  const sum = (of: keyof Metres) => devices.reduce((total, { metres }) => total + metres[of], 0)
  const kilometreError = shareOff({ leastM: sum('leastM'), mostM: sum('mostM'), foundM: sum('foundM') })
  return { drives: expected, found, f1, kilometreError, medianTripError: medianDistanceError }
}

const DRIVES = 10
const FROM_MS = Date.UTC(2026, 2, 2, 6)
/** Every fifth car is driven on Taveuni, over the antimeridian. */
const TAVEUNI: Position = { lon: 179.995, lat: -16.85 }
const TAVEUNI_EVERY = 5

/** What one dongle of the cell records; the same drives for every kind, cadence and disturbance. */
export function cellRecording(wishes: CellWishes, device: number, place = 0): Recording {
  return asWished(undisturbedRecording(wishes, device), wishes, device, place)
}

/** More than any cell has devices. */
const PLACE_SEEDS = 500

const seedOf = ({ seed }: CellWishes, device: number) => seed * 1000 + device + 1

function asWished(undisturbed: Recording, wishes: CellWishes, device: number, place = 0): Recording {
  if (!wishes.isDisturbed) return undisturbed
  const seed = seedOf(wishes, device) + place * PLACE_SEEDS
  return disturb(undisturbed, disturbancesFor(wishes.kind, wishes.only), seed)
}

export function undisturbedRecording(wishes: CellWishes, device: number, drives = DRIVES): Recording {
  const { kind, cadenceS } = wishes
  const seed = seedOf(wishes, device)
  return randomRecording({
    deviceId: (351_000_000_000_000 + seed * 37) as DeviceId,
    kind: { ...kind.kind, fixS: cadenceS },
    fromMs: FROM_MS,
    drivesByCar: [drives],
    seed,
    isHybrid: kind.isHybrid ?? false,
    ...(device % TAVEUNI_EVERY === TAVEUNI_EVERY - 1 && { town: TAVEUNI }),
  })
}

/** To a dongle that does not sense the ignition, being towed is a drive. */
function disturbancesFor({ kind, isHybrid = false }: KindOfDongle, only?: ReadonlySet<DisturbanceName>): Disturbance[] {
  return (Object.keys(DISTURBANCES) as DisturbanceName[])
    .filter(name => name !== 'towing' || sensesIgnition(kind, { isHybrid }))
    .filter(name => only === undefined || only.has(name))
    .map(name => DISTURBANCES[name])
}

interface PairedDongle {
  readonly kind: KindName
  readonly cadenceS: number
}

export type Pair = readonly [PairedDongle, PairedDongle]

/** Two dongles in one car: one on the diagnostic port and a tracker, an old and a new one during a changeover, a phone that comes along. */
export const PAIRS: readonly Pair[] = [
  pairOf('everything', 10, 'everything', 10),
  pairOf('everything', 10, 'positions', 60),
  pairOf('everything', 60, 'no-odometer', 10),
  pairOf('no-odometer', 10, 'motion', 30),
  pairOf('ignition-positions', 60, 'phone', 10),
]

function pairOf(kind: KindName, cadenceS: number, otherKind: KindName, otherCadenceS: number): Pair {
  return [
    { kind, cadenceS },
    { kind: otherKind, cadenceS: otherCadenceS },
  ]
}

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

/** Both dongles record the same drives, each with disturbances of its own; of trips that overlap, one counts. */
export function measurePair(pair: Pair, { cars, ...wishes }: PairWishes): PairScore {
  const compared = Array.from({ length: cars }, (_, car) => {
    const dongles = pair.map((dongle, place) => toldBy(dongle, place, car, wishes))
    const superseded = supersededTrips(dongles.flatMap(({ counting }) => counting))
    return compareCar(
      dongles.map(dongle => ({ ...dongle, counting: dongle.counting.filter(trip => !superseded.has(trip)) })),
    )
  })
  const sum = (of: (car: (typeof compared)[number]) => number) => compared.reduce((total, car) => total + of(car), 0)
  const { found, f1 } = scoreOf(compared)
  return {
    drives: sum(({ drives }) => drives.length),
    found,
    f1,
    kilometreError: sum(({ metres }) => metres.foundM) / sum(({ metres }) => metres.mostM) - 1,
  }
}

const MILEAGE = String(requiredEventType('MILEAGE').id)

function toldBy(
  { kind, cadenceS }: PairedDongle,
  place: number,
  car: number,
  wishes: Omit<PairWishes, 'cars'>,
): DongleInCar<PairedTrip> {
  const recording = cellRecording({ ...wishes, kind: kindNamed(kind), cadenceS, devices: 1 }, car, place)
  const { trips } = fold(undefined, samplesOf(recording))
  return {
    drives: expectedDrives(recording).map(expected => ({ ...expected, drive: trueTripOf(expected.drive) })),
    counting: trips.map(trip => ({
      ...trip,
      deviceId: (place + 1) as DeviceId,
      isOpen: trip.isRunning,
      hasOdometer: MILEAGE in trip.meters,
    })),
    toleranceMs: toleranceAt(cadenceS),
  }
}

interface Limits {
  readonly leastF1: number
  /** undefined: no limit. */
  readonly mostKilometreError: number | undefined
  readonly farthestM: number
}

const LEAST_F1 = { clean: 0.98, disturbed: 0.95 } as const
const FARTHEST_M = 100

const WITH_ODOMETER = 0.005
const HYBRID = 0.015
/** Positions and speeds are samples of a path: the farther apart they are, the less is known of it. */
const BY_CADENCE = [
  { upToS: 10, error: 0.01 },
  { upToS: 60, error: 0.02 },
  { upToS: 120, error: 0.04 },
  { upToS: 300, error: 0.06 },
] as const

export function limitsOf({ kind, isHybrid }: KindOfDongle, cadenceS: number, isDisturbed: boolean): Limits {
  const hasOdometer = kind.tellsOnly ? kind.tellsOnly.includes('MILEAGE') : kind.readsOdometer
  const byCadence = BY_CADENCE.find(({ upToS }) => cadenceS <= upToS)?.error
  const error = hasOdometer ? WITH_ODOMETER : isHybrid ? HYBRID : byCadence
  return {
    leastF1: isDisturbed ? LEAST_F1.disturbed : LEAST_F1.clean,
    // With disturbances, odometers are wrong and silences hide parts of the path: no length can be promised.
    mostKilometreError: isDisturbed ? undefined : error,
    farthestM: FARTHEST_M,
  }
}

/** The figures of a cell that break its limits, by the column heads of the table. */
export function brokenLimits(score: CellScore, { leastF1, mostKilometreError, farthestM }: Limits): string[] {
  return [
    ...(score.f1 >= leastF1 ? [] : ['F1']),
    ...(mostKilometreError === undefined || Math.abs(score.kilometreError) <= mostKilometreError ? [] : ['kilometres']),
    ...((score.farthestM ?? 0) <= farthestM ? [] : ['farthest']),
  ]
}
