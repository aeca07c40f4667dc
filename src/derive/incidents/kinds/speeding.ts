import { requiredEventType } from '../../../catalogue/event-types.ts'
import { type AreaVersion, areaIdsOf, numberOf, type RuleVersion } from '../../rules/rule-book.ts'
import { MOTION_KMH } from '../../trips/rules.ts'
import { isStayShown, numberIn } from '../car-state.ts'
import {
  detector,
  type Finding,
  goesOn,
  isAsleep,
  type KindOfRule,
  LONGEST_DRIVING_GAP_MS,
  NOTHING,
  type Observation,
  type Stepped,
  sinceBeforeMs,
} from '../detector.ts'
import { endedPeriod, lastedMs, openPeriod, type Period, periodFrom, withSample } from '../period.ts'

const GREATEST = requiredEventType('VEHICLE_SPEED_MAX')
const SPEED_TYPES = [requiredEventType('VEHICLE_SPEED_AVERAGE'), GREATEST, requiredEventType('GPS_SPEED')].map(
  ({ id }) => id,
)
const POSITION = requiredEventType('POSITION').id

/** Faster than a limit, for a while. */
export const speeding: KindOfRule = rule => {
  const limit = speedLimitOf(rule)
  return detector<Period>({
    types: SPEED_TYPES,
    longestGapMs: LONGEST_DRIVING_GAP_MS,
    step: (period, observation) => stepSpeeding(period, observation, limit),
    goingOn: period => (isSpeeding(period, limit) ? [openPeriod(period)] : []),
    end: period => (isSpeeding(period, limit) ? [endedPeriod(period)] : []),
  })
}

/** In which area the car is, and what may be speeding there. */
type InArea = { readonly areaId: number; readonly version: number; readonly period: Period | null }

/** Speeding with the limit of an area: within its border, as the fixes say. Of areas that overlap, the first one counts. */
export const speedingInArea: KindOfRule = rule => {
  const limit = speedLimitOf(rule)
  const ids = new Set(areaIdsOf(rule))
  const areaAt = ({ near }: Observation, inside: InArea | null) => {
    let first: AreaVersion | undefined
    for (const { area, signedDistanceM } of near) {
      if (signedDistanceM > 0 || (ids.size > 0 && !ids.has(area.areaId))) continue
      if (area.areaId === inside?.areaId && area.version === inside.version) return area
      first ??= area
    }
    return first
  }
  const found = ({ areaId, period }: InArea): Finding[] =>
    period && isSpeeding(period, limit) ? [{ ...endedPeriod(period), areaId }] : []
  return detector<InArea>({
    types: [POSITION],
    longestGapMs: LONGEST_DRIVING_GAP_MS,
    step(inside, observation) {
      const area = observation.isFixBelieved ? areaAt(observation, inside) : inside
      if (!area && !inside) return NOTHING
      const done: Finding[] = []
      const isSame = inside && area?.areaId === inside.areaId && area.version === inside.version
      if (inside && !isSame) done.push(...found(inside))
      if (!area) return done.length > 0 ? { state: null, done } : NOTHING
      const { areaId, version } = area
      const stepped = stepSpeeding(isSame ? inside.period : null, observation, limit)
      // Before its first fix inside, the car was not there.
      const period = stepped.state && !isSame ? { ...stepped.state, startMs: observation.timeMs } : stepped.state
      if (isSame && period === inside.period && stepped.done.length === 0) return goesOn(inside)
      done.push(...stepped.done.map(finding => ({ ...finding, areaId })))
      return { state: { areaId, version, period }, done }
    },
    goingOn: ({ areaId, period }) => (period && isSpeeding(period, limit) ? [{ ...openPeriod(period), areaId }] : []),
    end: found,
  })
}

interface SpeedNow {
  readonly kmh: number
  /** For how long before the sample it was so fast on average; 0 for the speed at the instant. */
  readonly meanMs: number
  /** The greatest one that was reported. */
  readonly topKmh: number
}

/** The speed at a sample, if the car moves indeed; undefined where it is not known. */
function speedAt(observation: Observation): SpeedNow | undefined {
  const { reading, motion, isFixBelieved, now, timeMs } = observation
  const byReceiver = isFixBelieved ? reading.gpsSpeedKmh : undefined
  const kmh = reading.vehicleSpeedKmh ?? byReceiver
  // The receiver of a parked car wanders.
  if (kmh === undefined || isAsleep(observation)) return undefined
  // A control unit that repeats its last speed while the car is parked.
  if (motion === 'standing') return { kmh: 0, meanMs: 0, topKmh: 0 }
  // Without a right fix, a receiver that shows no motion is believed where the fixes before show none: the car has not left since.
  const isReceiverStill = reading.gpsSpeedKmh !== undefined && reading.gpsSpeedKmh <= MOTION_KMH
  if (isReceiverStill && kmh > MOTION_KMH && (isFixBelieved || isStayShown(now, timeMs))) return undefined
  const meanMs = reading.isTrueMean ? (sinceBeforeMs(observation) ?? 0) : 0
  const topKmh = reading.vehicleSpeedKmh === undefined ? kmh : Math.max(kmh, numberIn(observation, GREATEST) ?? kmh)
  return { kmh, meanMs, topKmh }
}

interface SpeedLimit {
  readonly limitKmh: number
  readonly toleranceKmh: number
  readonly forMs: number
}

/** Longer than any sensor needs for an error, and than two readings of one that repeats itself. */
const LEAST_READINGS = 2

/** More than a single reading, for long enough. The mean of an interval is more than one. */
function isSpeeding(period: Period, { forMs }: SpeedLimit): boolean {
  const isMean = period.count === 1 && lastedMs(period) > 0
  return (period.count >= LEAST_READINGS || isMean) && lastedMs(period) >= forMs
}

/** One more sample of what may be speeding: it begins above limit and tolerance, and ends at the limit. */
function stepSpeeding(period: Period | null, observation: Observation, limit: SpeedLimit): Stepped<Period> {
  const speed = speedAt(observation)
  if (!speed) return period ? goesOn(period) : NOTHING
  const { kmh, meanMs, topKmh } = speed
  if (period && kmh > limit.limitKmh) return goesOn(withSample(period, observation, topKmh))
  if (period) return isSpeeding(period, limit) ? { state: null, done: [endedPeriod(period)] } : NOTHING
  if (kmh <= limit.limitKmh + limit.toleranceKmh) return NOTHING
  const longestMs = Math.min(meanMs, LONGEST_DRIVING_GAP_MS)
  return goesOn(periodFrom(observation, topKmh, observation.timeMs - longestMs))
}

/** @param rule of a kind with these parameters */
function speedLimitOf(rule: RuleVersion): SpeedLimit {
  return {
    limitKmh: numberOf(rule, 'limitKmh'),
    toleranceKmh: numberOf(rule, 'toleranceKmh'),
    forMs: numberOf(rule, 'forS') * 1000,
  }
}
