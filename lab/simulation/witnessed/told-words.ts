import type { Position } from '../../../src/model/sample.ts'
import { positionOf } from '../disturbances/gps-noise.ts'
import type { Reading } from '../readings.ts'

/** What one record tells of a car, to whoever compares it with the one before. */
export interface Word {
  readonly timeMs: number
  /** By its speed, its odometer or a sensor: that the car moves, or has moved since the record before. */
  readonly showsMotion: boolean
  /** A true fix, and not the one that the receiver told before. */
  readonly newFix: Position | undefined
}

/** decisions.md, *Trips*: what is motion. Longer steps of an odometer are jumps of another kind. */
export const MOTION_KMH = 5
export const FASTEST_KMH = 250

/** Whether a record tells a speed of motion; nobody believes the speed of a receiver whose fix is false. */
export function showsSpeed({ events }: Reading, isBelieved: boolean): boolean {
  const speeds = isBelieved ? SPEEDS : SPEEDS.slice(0, 1)
  return speeds.some(type => Number(events.get(type) ?? 0) > MOTION_KMH)
}

const SPEEDS = ['VEHICLE_SPEED_AVERAGE', 'GPS_SPEED'] as const

/**
 * The records that tell something true of whether the car stands or moves. A false fix, one that the receiver holds and an
 * odometer that jumps tell nothing; nor does a sensor of motion against a receiver that says 0 (decisions.md, *Trips*).
 * @param isTrueFix whether the fix of a record is where the car was
 */
export function toldWords(readings: readonly Reading[], isTrueFix: (reading: Reading) => boolean): Word[] {
  let fixBefore: ReturnType<typeof positionOf>
  let speedBefore = 0
  let countBefore: { readonly timeMs: number; readonly km: number } | undefined
  return readings.flatMap(reading => {
    const { timeMs, events } = reading
    const fix = positionOf(reading)
    const isNewFix = fix !== undefined && (fix.lon !== fixBefore?.lon || fix.lat !== fixBefore?.lat)
    fixBefore = fix ?? fixBefore
    const count = events.has('MILEAGE') ? { timeMs, km: Number(events.get('MILEAGE')) } : undefined
    const isCounted = count !== undefined && countBefore !== undefined && isPossible(countBefore, count)
    const hasCountedOn = isCounted && count.km > (countBefore?.km ?? 0)
    countBefore = count ?? countBefore
    speedBefore = Number(events.get('GPS_SPEED') ?? speedBefore)
    const isFelt = events.get('IS_MOVING') === true && speedBefore > 0
    const isTrue = fix !== undefined && isTrueFix(reading)
    const isFast = showsSpeed(reading, fix === undefined || isTrue)
    const showsMotion = isFast || isFelt || hasCountedOn
    const showsStanding =
      isTrue || isCounted || events.has('VEHICLE_SPEED_AVERAGE') || events.get('IS_MOVING') === false
    return showsMotion || showsStanding ? [{ timeMs, showsMotion, newFix: isTrue && isNewFix ? fix : undefined }] : []
  })
}

/** Many cars tell whole kilometres, so within a second one may pass. */
const COARSEST_STEP_KM = 1

interface Count {
  readonly timeMs: number
  readonly km: number
}

function isPossible(from: Count, to: Count): boolean {
  const stepKm = to.km - from.km
  if (stepKm < 0) return false
  return stepKm <= COARSEST_STEP_KM || (stepKm / (to.timeMs - from.timeMs)) * 3_600_000 <= FASTEST_KMH
}
