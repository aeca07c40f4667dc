import { requiredEventType } from '../../src/catalogue/event-types.ts'
import { fold } from '../../src/derive/trips/derive/fold.ts'
import { type MeasuredTrip, supersededTrips } from '../../src/derive/trips/derive/overlaps.ts'
import type { DerivedTrip } from '../../src/derive/trips/derive/trip.ts'
import type { DeviceId } from '../../src/model/sample.ts'
import { compareCar, type DongleInCar } from '../score/car-comparison.ts'
import { scoreOf } from '../score/trip-score.ts'
import { type KindName, kindNamed } from '../simulation/kinds-of-dongles.ts'
import { samplesOf } from '../simulation/recording.ts'
import { trueTripOf } from '../simulation/truth.ts'
import { expectedDrives } from '../simulation/witnessed/expected-drives.ts'
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

/** What one of the dongles recorded: the drives that it could witness, and the trips that follow from its records. */
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
