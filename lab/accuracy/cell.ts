import { fold } from '../../src/derive/trips/derive/fold.ts'
import type { DerivedTrip } from '../../src/derive/trips/derive/trip.ts'
import type { DeviceId, Position } from '../../src/model/sample.ts'
import { compareDevice, type DeviceComparison, type Metres, metresOf, shareOff } from '../score/device-comparison.ts'
import { scoreOf } from '../score/trip-score.ts'
import { DISTURBANCES, type DisturbanceName } from '../simulation/disturbances/all-disturbances.ts'
import { type Disturbance, disturb } from '../simulation/disturbances/disturbance.ts'
import { sensesIgnition } from '../simulation/dongle.ts'
import type { KindOfDongle } from '../simulation/kinds-of-dongles.ts'
import { randomRecording } from '../simulation/random-recording.ts'
import { type Recording, samplesOf } from '../simulation/recording.ts'
import { expectedDrives } from '../simulation/witnessed/expected-drives.ts'
import { farthestM } from './line-error.ts'

/** Which drives are measured. */
export interface CellWishes {
  readonly kind: KindOfDongle
  /** Seconds between two records. */
  readonly cadenceS: number
  readonly isDisturbed: boolean
  readonly devices: number
  readonly seed: number
  /** Instead of all disturbances: only these. */
  readonly only?: ReadonlySet<DisturbanceName>
}

/** How well the drives of one kind of dongle at one cadence are found. */
export interface CellScore {
  readonly drives: number
  readonly found: number
  readonly f1: number
  /** All trips that were found against all drives; negative when too little was found. */
  readonly kilometreError: number
  readonly medianTripError: number
  /** The farthest that any line is from where the car was; undefined without any line. */
  readonly farthestM: number | undefined
  /** What is wrong, device by device. */
  readonly devices: readonly Pick<DeviceComparison<DerivedTrip>, 'missed' | 'invented'>[]
}

const SECOND_MS = 1000
/** Both ends of a trip may be off by this much, or by one interval if that is longer. */
const TOLERANCE_MS = 60 * SECOND_MS

export function toleranceAt(cadenceS: number): number {
  return Math.max(TOLERANCE_MS, cadenceS * SECOND_MS)
}

/**
 * Folds what the dongles of a cell record, and compares.
 * @param undisturbed what a dongle records if nothing disturbs it; for whoever keeps it for several cells
 */
export function measureCell(wishes: CellWishes, undisturbed = undisturbedRecording): CellScore {
  const toleranceMs = toleranceAt(wishes.cadenceS)
  const devices = Array.from({ length: wishes.devices }, (_, device) => {
    const recording = asWished(undisturbed(wishes, device), wishes, device)
    const { trips } = fold(undefined, samplesOf(recording))
    const drives = expectedDrives(recording)
    return {
      ...compareDevice(drives, trips, toleranceMs),
      metres: metresOf(drives, trips),
      farthestM: farthestM(recording, trips),
    }
  })
  const { expected, found, f1, medianDistanceError } = scoreOf(devices)
  const farthest = devices.flatMap(device => device.farthestM ?? [])
  return {
    drives: expected,
    found,
    f1,
    kilometreError: shareOff(summedUp(devices.map(({ metres }) => metres))),
    medianTripError: medianDistanceError,
    farthestM: farthest.length === 0 ? undefined : Math.max(...farthest),
    devices,
  }
}

function summedUp(metres: readonly Metres[]): Metres {
  const sum = (of: (metres: Metres) => number) => metres.reduce((total, item) => total + of(item), 0)
  return { leastM: sum(({ leastM }) => leastM), mostM: sum(({ mostM }) => mostM), foundM: sum(({ foundM }) => foundM) }
}

const DRIVES = 10
const FROM_MS = Date.UTC(2026, 2, 2, 6)
/** Every fifth car is driven on Taveuni, over the antimeridian. */
const TAVEUNI: Position = { lon: 179.995, lat: -16.85 }
const TAVEUNI_EVERY = 5

/**
 * What one dongle of the cell records; the same drives for every kind, cadence and disturbance.
 * @param place which of several dongles in the car: each is disturbed at other times
 */
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

/**
 * The same if nothing disturbs it.
 * @param drives for whoever has no time for all of them
 */
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
