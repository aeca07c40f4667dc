import { type EventType, type EventTypeName, requiredEventType } from '../../../catalogue/event-types.ts'
import { type HarshManoeuvre, harshThresholdMps2, type VehicleClass } from '../../../catalogue/rule-kinds/driving.ts'
import { textOf } from '../../rules/rule-book.ts'
import { type CarState, numberIn } from '../car-state.ts'
import { ANY_GAP_MS, detector, type KindOfRule, type Observation, type Stepped } from '../detector.ts'
import { endedPeriod, type Period, periodFrom, withSample } from '../period.ts'

const SEVERE = requiredEventType('SEVERE_CRASH')
const WEAK = requiredEventType('WEAK_CRASH')
/** A car that skids and rolls over is hit more than once. */
const CRASH_MS = 60_000

export const crash: KindOfRule = rule => {
  const types = textOf(rule, 'strength') === 'SEVERE' ? [SEVERE] : [SEVERE, WEAK]
  const greatestIn = greatestOf(types)
  return detector<Period>({
    types: types.map(({ id }) => id),
    longestGapMs: ANY_GAP_MS,
    step: (period, observation) => stepJolts(period, observation, greatestIn(observation), CRASH_MS),
    goingOn: period => [endedPeriod(period)],
    end: period => [endedPeriod(period)],
  })
}

type HarshState = {
  readonly period: Period | null
  /** The count of the sample before; null if it had none. */
  readonly count: number | null
  /** The period began with the sample before, by the difference of two speeds: one of them may be wrong. */
  readonly isUnsure: boolean
}

/** Dongles that report one manoeuvre twice do so within seconds. */
const MANOEUVRE_MS = 5000
/** Over a longer interval, the difference of two speeds says nothing about a manoeuvre. */
const LONGEST_INTERVAL_MS = 2500
/** Nor over a shorter one: speeds come in whole km/h. */
const SHORTEST_INTERVAL_MS = 400
/** Intervals of a dongle that reports by its clock differ by less. */
const USUAL_RATIO = 1.5
/** A manoeuvre by differences goes on for more than one, with so much of it at least, or until the car stands: else one
 * speed was wrong, or the one before was old. */
const LEAST_SHARE = 1 / 3
/** Tyres do not hold more. */
const MOST_MPS2 = 11
/** The course of a slow car is noise. */
const LEAST_CORNERING_KMH = 15

const SPEEDS = (['VEHICLE_SPEED_AVERAGE', 'VEHICLE_SPEED_MAX', 'GPS_SPEED'] as const).map(requiredEventType)

const harsh =
  (manoeuvre: HarshManoeuvre, measuredNames: readonly EventTypeName[], countName: EventTypeName): KindOfRule =>
  rule => {
    const thresholdMps2 = harshThresholdMps2(manoeuvre, textOf(rule, 'vehicleClass') as VehicleClass)
    const counted = requiredEventType(countName)
    const measured = measuredNames.map(requiredEventType)
    const greatestIn = greatestOf(measured)
    return detector<HarshState>({
      types: [...measured, counted, ...SPEEDS].map(({ id }) => id),
      longestGapMs: ANY_GAP_MS,
      step(before, observation) {
        const count = numberIn(observation, counted) ?? null
        const byCount = count !== null && count > (before?.count ?? 0) ? null : undefined
        const found = derived(manoeuvre, observation)
        const isOne = found !== undefined && found >= thresholdMps2 && found <= MOST_MPS2
        const byDifference = isOne ? Math.round(found * 100) / 100 : undefined
        const measuredMps2 = greatestIn(observation)
        const mps2 = measuredMps2 ?? byDifference ?? byCount
        const isOver = found !== undefined && found < thresholdMps2 * LEAST_SHARE && observation.now.kmh !== 0
        const known = before?.isUnsure && isOver ? null : (before?.period ?? null)
        const { state: period, done } = stepJolts(known, observation, mps2, MANOEUVRE_MS)
        const isUnsure = isOne && measuredMps2 === undefined && period?.count === 1
        return { state: period || count !== null ? { period, count, isUnsure } : null, done }
      },
      goingOn: ({ period }) => (period ? [endedPeriod(period)] : []),
      end: ({ period }) => (period ? [endedPeriod(period)] : []),
    })
  }

/** How harsh the manoeuvre was between two samples that follow each other as all do; unknown between others. Closer
 * ones than usual are of two times of which one is wrong: a clock that was set back. */
function derived(manoeuvre: HarshManoeuvre, { before, now }: Observation): number | undefined {
  const { intervalMs } = now
  const usualMs = before?.intervalMs || intervalMs
  if (!before || Math.max(usualMs, intervalMs) > LONGEST_INTERVAL_MS || intervalMs < SHORTEST_INTERVAL_MS)
    return undefined
  if (Math.max(usualMs / intervalMs, intervalMs / usualMs) > USUAL_RATIO) return undefined
  if (manoeuvre === 'cornering') return lateralMps2(before, now, intervalMs)
  const mps2 = accelerationMps2(before, now, intervalMs)
  return manoeuvre === 'braking' && mps2 !== undefined ? -mps2 : mps2
}

function accelerationMps2(before: CarState, now: CarState, intervalMs: number): number | undefined {
  if (before.kmh === null || now.kmh === null || before.isKmhOfCar !== now.isKmhOfCar) return undefined
  return (now.kmh - before.kmh) / 3.6 / (intervalMs / 1000)
}

function lateralMps2(before: CarState, now: CarState, intervalMs: number): number {
  const kmh = Math.min(before.kmh ?? 0, now.kmh ?? 0)
  if (before.courseDeg === null || now.courseDeg === null || kmh < LEAST_CORNERING_KMH) return 0
  const turnedDeg = Math.abs(((now.courseDeg - before.courseDeg + 540) % 360) - 180)
  return ((kmh / 3.6) * turnedDeg * (Math.PI / 180)) / (intervalMs / 1000)
}

export const harshAcceleration = harsh(
  'acceleration',
  ['HARSH_ACCELERATION', 'EXTREME_ACCELERATION'],
  'HARSH_ACCELERATION_COUNT',
)
export const harshBraking = harsh('braking', ['HARSH_BRAKING', 'EXTREME_BRAKING'], 'HARSH_BRAKING_COUNT')
export const harshCornering = harsh(
  'cornering',
  ['HARSH_LEFT_CORNERING', 'HARSH_RIGHT_CORNERING', 'EXTREME_LEFT_CORNERING', 'EXTREME_RIGHT_CORNERING'],
  'HARSH_CORNERING_COUNT',
)

/** One more sample of jolts: close ones are one. @param mps2 null for one of unknown strength, undefined for none */
function stepJolts(
  period: Period | null,
  observation: Observation,
  mps2: number | null | undefined,
  togetherMs: number,
): Stepped<Period> {
  const isOver = period !== null && observation.timeMs - period.lastMs > togetherMs
  const done = isOver ? [endedPeriod(period)] : []
  if (mps2 === undefined) return { state: isOver ? null : period, done }
  return { state: period && !isOver ? withSample(period, observation, mps2) : periodFrom(observation, mps2), done }
}

/** Reads the greatest value of any of these types, whatever its sign. */
function greatestOf(types: readonly EventType[]): (observation: Observation) => number | undefined {
  return observation => {
    let greatest: number | undefined
    for (const type of types) {
      const value = numberIn(observation, type)
      if (value !== undefined) greatest = Math.max(greatest ?? 0, Math.abs(value))
    }
    return greatest
  }
}
