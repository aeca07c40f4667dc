import type { DeviceId, Position } from '../../src/model/sample.ts'
import type { Car } from './car.ts'
import { diceOf } from './dice.ts'
import { type DongleKind, dongleOf } from './dongle.ts'
import { moved } from './ground.ts'
import { randomFaults, randomSchedule } from './random-schedule.ts'
import { type Recording, record } from './recording.ts'
import type { Stint } from './truth.ts'

interface RecordingWishes {
  readonly deviceId: DeviceId
  readonly kind: DongleKind
  readonly fromMs: number
  /** Drives in each car, one car after the other. */
  readonly drivesByCar: readonly number[]
  readonly seed: number
  /** Which cars, so that dongles can come into the same one; by default it differs from dongle to dongle. */
  readonly cars?: readonly number[]
  readonly shortestM?: number
  readonly longestM?: number
  /** What one step of the odometers is worth; by default it differs from car to car. */
  readonly odometerStepM?: number
  /** Around where the cars begin their first drive. */
  readonly town?: Position
  /** All cars are hybrids. */
  readonly isHybrid?: boolean
}

/** Cars begin their first drive around here, unless another place is wished for. */
const TOWN: Position = { lat: 49.0069, lon: 8.4037 }
const TOWN_RADIUS_M = 4000
/** Between pulling the dongle out of one car and plugging it into the next one. */
const MOVE_MS = 1_800_000

/** What a made-up dongle records of made-up drives. The same wishes give the same recording. */
export function randomRecording(wishes: RecordingWishes): Recording {
  const { deviceId, kind, drivesByCar, seed, town = TOWN, shortestM = 900, longestM = 40_000 } = wishes
  const stints: Stint[] = []
  let fromMs = wishes.fromMs
  for (const [i, drives] of drivesByCar.entries()) {
    const dice = diceOf(seed, i, 23)
    const radiusM = { eastM: dice.between(-1, 1) * TOWN_RADIUS_M, northM: dice.between(-1, 1) * TOWN_RADIUS_M }
    const schedule = randomSchedule({
      car: randomCar(wishes.cars?.[i] ?? seed * 10 + i, wishes),
      start: moved(town, radiusM),
      fromMs,
      startOdometerM: dice.whole(3_000_000, 180_000_000),
      drives,
      shortestM,
      longestM,
      seed: seed * 10 + i,
    })
    const toMs = (schedule.drives.at(-1)?.endMs ?? fromMs) + MOVE_MS
    stints.push({ schedule, faults: randomFaults(schedule, seed * 10 + i), fromMs, toMs })
    fromMs = toMs + MOVE_MS
  }
  return record(dongleOf(deviceId, kind), stints)
}

/** World manufacturer identifiers of makes that are seen often; European VINs have no check digit. */
const MANUFACTURERS = ['WVW', 'WDD', 'WF0', 'TMB', 'VF1', 'WBA'] as const

function randomCar(seed: number, { odometerStepM, isHybrid = false }: RecordingWishes): Car {
  const dice = diceOf(seed, 24)
  const serial = String(seed % 1_000_000).padStart(6, '0')
  const vin = `${dice.oneOf(MANUFACTURERS)}ZZZ${dice.whole(10, 99)}ZLP${serial}`
  const engine = isHybrid ? 'combustion' : dice.oneOf(['combustion', 'combustion', 'electric'] as const)
  return {
    vin,
    engine,
    isHybrid,
    capacity: engine === 'electric' ? 58 : 50,
    rangeKm: dice.whole(340, 820),
    restingVolts: dice.between(12.3, 12.8),
    odometerStepM: odometerStepM ?? dice.oneOf([1, 100, 100] as const),
  }
}
