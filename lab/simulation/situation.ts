import type { Position } from '../../src/model/sample.ts'
import { type Drive, type Motion, motionAt, type Schedule } from './drive-plan.ts'
import { usedShare } from './powertrain.ts'

const DAY_MS = 86_400_000

export interface Situation {
  readonly timeMs: number
  readonly drive: Drive | undefined
  readonly motion: Motion
  /** Whole metres, and never less than before. */
  readonly odometerM: number
  /** Of the tank or of the high-voltage battery. */
  readonly levelPercent: number
  readonly isCharging: boolean
  readonly coolantC: number
  readonly ambientC: number
  /** For how long it has been parked, 0 while it drives. */
  readonly parkedMs: number
  readonly drivenMs: number
}

export function positionAt({ drives, parkedAt }: Schedule, timeMs: number): Position {
  const latest = drives.findLast(({ startMs }) => startMs <= timeMs)
  return latest ? motionAt(latest.plan, timeMs - latest.startMs).position : parkedAt
}

export function situationAt(schedule: Schedule, timeMs: number): Situation {
  const begun = schedule.drives.findLastIndex(({ startMs }) => startMs <= timeMs)
  const latest = schedule.drives[begun]
  const motion = latest ? motionAt(latest.plan, timeMs - latest.startMs) : standingAt(schedule.parkedAt)
  const isDriving = latest !== undefined && timeMs < latest.endMs
  const sinceStartMs = latest ? timeMs - latest.startMs : 0
  const drivenM = latest ? (isDriving ? Math.min(Math.floor(motion.metres), latest.lengthM) : latest.lengthM) : 0
  const odometerM = (latest?.startOdometerM ?? schedule.startOdometerM) + drivenM
  const electric = schedule.car.engine === 'electric'
  // As far as the car would have come on average with what it has used.
  const usedM = isDriving ? latest.lengthM * usedShare(latest.plan, schedule.car.engine, sinceStartMs) : drivenM
  const reachedM = odometerM - drivenM + usedM
  const levelPercent = electric
    ? chargePercent(schedule, timeMs, reachedM)
    : fuelPercent(schedule, latest, timeMs, reachedM)
  const ambientC = ambientAt(timeMs, motion.position)
  return {
    timeMs,
    drive: isDriving ? latest : undefined,
    motion,
    odometerM,
    levelPercent,
    isCharging: electric && !isDriving && latest?.endsAtCharger !== false && levelPercent < FULL_CHARGE_PERCENT,
    coolantC: coolantAt(timeMs, latest?.startMs ?? timeMs, parkedBeforeMs(schedule, begun), ambientC),
    ambientC,
    parkedMs: isDriving ? 0 : timeMs - (latest?.endMs ?? schedule.parkedSinceMs),
    drivenMs: latest ? Math.min(sinceStartMs, latest.endMs - latest.startMs) : 0,
  }
}

function standingAt(position: Position): Motion {
  return { position, courseDeg: 0, metres: 0, speedKmh: 0, accelerationMps2: 0 }
}

const FULL_TANK_PERCENT = 96
const LEAST_TANK_PERCENT = 14
/** From the end of a drive that led to a filling station. */
const FUELLING_MS = 180_000

/** Filled between two drives; by the odometer alone: each tank begins at a multiple of its range. */
function fuelPercent({ car }: Schedule, latest: Drive | undefined, timeMs: number, reachedM: number): number {
  const percentPerM = 100 / (car.rangeKm * 1000)
  const tankM = (FULL_TANK_PERCENT - LEAST_TANK_PERCENT) / percentPerM
  const isFuelled = latest === undefined || timeMs >= latest.endMs + FUELLING_MS
  const filledAtM = Math.floor((isFuelled ? reachedM : latest.startOdometerM) / tankM) * tankM
  return FULL_TANK_PERCENT - (reachedM - filledAtM) * percentPerM
}

const FULL_CHARGE_PERCENT = 90
const CHARGE_PERCENT_PER_HOUR = 12

/** Full at first, and charged wherever the car is parked at a charger. */
function chargePercent({ car, drives }: Schedule, timeMs: number, reachedM: number): number {
  let percent = FULL_CHARGE_PERCENT
  const perMs = (car.chargePercentPerHour ?? CHARGE_PERCENT_PER_HOUR) / 3_600_000
  for (const [i, drive] of drives.entries()) {
    if (drive.startMs > timeMs) break
    const drivenM = Math.min(reachedM - drive.startOdometerM, drive.lengthM)
    percent = Math.max(0, percent - (drivenM / (car.rangeKm * 1000)) * 100)
    const parkedUntilMs = Math.min(timeMs, drives[i + 1]?.startMs ?? Number.POSITIVE_INFINITY)
    const chargedMs = drive.endsAtCharger ? Math.max(0, parkedUntilMs - drive.endMs) : 0
    percent = Math.min(FULL_CHARGE_PERCENT, percent + chargedMs * perMs)
  }
  return percent
}

const WARM_C = 90
const WARMS_UP_IN_MS = 240_000
const COOLS_DOWN_IN_MS = 5_400_000

function coolantAt(timeMs: number, startMs: number, parkedMs: number, ambientC: number): number {
  const atStartC = ambientC + (WARM_C - ambientC) * Math.exp(-parkedMs / COOLS_DOWN_IN_MS)
  return WARM_C - (WARM_C - atStartC) * Math.exp(-(timeMs - startMs) / WARMS_UP_IN_MS)
}

function parkedBeforeMs({ drives, parkedSinceMs }: Schedule, index: number): number {
  return Math.max(0, (drives[index]?.startMs ?? 0) - (drives[index - 1]?.endMs ?? parkedSinceMs))
}

/** Colder in January than in July, and before dawn than in the afternoon, by the sun. */
function ambientAt(timeMs: number, { lon }: Position): number {
  const year = Math.cos(((timeMs / DAY_MS - 20) / 365.25) * 2 * Math.PI)
  const dayHours = (timeMs % DAY_MS) / 3_600_000 + lon / 15
  return 11 - 9 * year - 4 * Math.cos(((dayHours - 4) / 24) * 2 * Math.PI)
}
