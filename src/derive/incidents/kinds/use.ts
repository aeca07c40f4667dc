import { requiredEventType } from '../../../catalogue/event-types.ts'
import { distanceM } from '../../../model/earth.ts'
import { numberOf } from '../../rules/rule-book.ts'
import { isWithinHours } from '../../rules/weekly-hours.ts'
import { MOTION_PAUSE_MS, STAY_RADIUS_M, UNSEEN_WAY_M } from '../../trips/rules.ts'
import { isEngineRunning } from '../car-state.ts'
import {
  detector,
  goesOn,
  isAsleep,
  type KindOfRule,
  LONGEST_DRIVING_GAP_MS,
  LONGEST_PARKED_GAP_MS,
  LONGEST_STANDING_GAP_MS,
  NOTHING,
  type Observation,
} from '../detector.ts'
import { endedAt, endedPeriod, lastedMs, openPeriod, type Period, periodFrom, withSample } from '../period.ts'

const IDLING_TYPES = [
  'IS_IGNITION_ON',
  'ENGINE_STATE',
  'VEHICLE_SPEED_AVERAGE',
  'VEHICLE_SPEED_MAX',
  'GPS_SPEED',
  'POSITION',
] as const

/** Faster, only a fix jumps. */
const SHORTEST_DRIVE_MS = 60_000

/** The car stands, and its engine runs. It ends with the last sample that said so, or with the one that says that the engine is off. */
export const idling: KindOfRule = rule => {
  const forMs = numberOf(rule, 'forMinutes') * 60_000
  const isLong = (period: Period) => lastedMs(period) >= forMs
  return detector<Period>({
    types: IDLING_TYPES.map(name => requiredEventType(name).id),
    longestGapMs: LONGEST_STANDING_GAP_MS,
    step(period, observation) {
      const { timeMs, motion, now } = observation
      const isRunning = isEngineRunning(now)
      const { lastLon: lon = null, lastLat: lat = null } = period ?? {}
      const isElsewhere = lon !== null && lat !== null && now.place && distanceM({ lon, lat }, now.place) > UNSEEN_WAY_M
      // It was driven since the last sample, although no sample was of that: until then it stood.
      if (period && isElsewhere && timeMs - period.lastMs >= SHORTEST_DRIVE_MS) {
        const state = isRunning && motion === 'standing' ? periodFrom(observation, null) : null
        return { state, done: isLong(period) ? [endedPeriod(period)] : [] }
      }
      if (motion !== 'moving' && isRunning) {
        if (period) return goesOn(withSample(period, observation, null))
        return motion === 'standing' ? goesOn(periodFrom(observation, null)) : NOTHING
      }
      if (!period) return NOTHING
      if (motion === 'moving') return isLong(period) ? { state: null, done: [endedPeriod(period)] } : NOTHING
      const ended = withSample(period, observation, null)
      return isLong(ended) ? { state: null, done: [endedAt(ended, now)] } : NOTHING
    },
    goingOn: period => (isLong(period) ? [openPeriod(period)] : []),
    end: period => (isLong(period) ? [endedPeriod(period)] : []),
  })
}

const DRIVING_TYPES = [
  'VEHICLE_SPEED_AVERAGE',
  'VEHICLE_SPEED_MAX',
  'GPS_SPEED',
  'POSITION',
  'MILEAGE',
  'IS_MOVING',
  'IS_IGNITION_ON',
] as const

/** The car is driven when its use is not permitted. It ends with the last motion before it was parked, or with the next permitted hour. */
export const usedOutsideHours: KindOfRule = rule => {
  const { hours } = rule
  const forMs = numberOf(rule, 'forMinutes') * 60_000
  const isLong = (period: Period) => lastedMs(period) >= forMs
  return detector<Period>({
    // Without hours, its use is always permitted.
    types: hours ? DRIVING_TYPES.map(name => requiredEventType(name).id) : [],
    longestGapMs: LONGEST_DRIVING_GAP_MS,
    step(period, observation) {
      const { timeMs } = observation
      const motion = isAsleep(observation) ? 'standing' : observation.motion
      const isPermitted = !hours || isWithinHours(hours, timeMs)
      const isOver = period && (isPermitted || (motion !== 'moving' && timeMs - period.lastMs > MOTION_PAUSE_MS))
      if (isOver) return isLong(period) ? { state: null, done: [endedPeriod(period)] } : NOTHING
      if (isPermitted || motion !== 'moving') return period ? goesOn(period) : NOTHING
      return { state: period ? withSample(period, observation, null) : periodFrom(observation, null), done: [] }
    },
    goingOn: period => (isLong(period) ? [openPeriod(period)] : []),
    end: period => (isLong(period) ? [endedPeriod(period)] : []),
  })
}

const TOWED_TYPES = ['POSITION', 'IS_IGNITION_ON', 'ENGINE_STATE'] as const

/** Where a car stands with its ignition off, and when it was last there; and how it is moved away. */
type ParkedPeriod = {
  readonly lon: number
  readonly lat: number
  readonly timeMs: number
  readonly period: Period | null
}

/** A single fix away from there may be false. */
const LEAST_FIXES = 2
/** A tow truck that waits so long has arrived. */
const ARRIVED_MS = 10 * 60_000

/** The car is moved while its ignition is off. It begins where the car stood, and ends with the last fix of the way. */
export const towed: KindOfRule = rule => {
  const leastM = numberOf(rule, 'distanceM')
  const isSure = (period: Period) => period.count >= LEAST_FIXES
  const found = ({ period }: ParkedPeriod) => (period && isSure(period) ? [endedPeriod(period)] : [])
  return detector<ParkedPeriod>({
    types: TOWED_TYPES.map(name => requiredEventType(name).id),
    longestGapMs: LONGEST_PARKED_GAP_MS,
    step(parked, observation) {
      const { now, timeMs, isFixBelieved } = observation
      if (!isAsleep(observation)) return parked ? { state: null, done: found(parked) } : NOTHING
      const { place } = now
      // Nothing is known of a long silence: the record of a drive may come later.
      const isUnseen = place?.rival != null && wasSilent(observation)
      if (!isFixBelieved || !place) return parked && !isUnseen ? goesOn(parked) : NOTHING
      const { lon, lat } = place
      const here: ParkedPeriod = { lon, lat, timeMs, period: null }
      if (!parked) return goesOn(here)
      const { period } = parked
      const awayM = Math.round(distanceM(parked, place))
      if (!period) {
        if (awayM <= STAY_RADIUS_M) return goesOn({ ...parked, timeMs })
        if (awayM < leastM) return goesOn(parked)
        if (timeMs - parked.timeMs > LONGEST_STANDING_GAP_MS && wasSilent(observation)) return goesOn(here)
        const begun = periodFrom(observation, awayM, Math.min(parked.timeMs, timeMs))
        return goesOn({ ...parked, period: { ...begun, startLon: parked.lon, startLat: parked.lat } })
      }
      // Back where it stood: the fixes were false, or it was moved out of the way.
      const isNear = !isSure(period) || (period.peak ?? 0) < UNSEEN_WAY_M
      if (awayM < leastM && isNear) return goesOn({ ...parked, timeMs, period: null })
      const isOnItsWay = distanceM({ lon: period.lastLon ?? lon, lat: period.lastLat ?? lat }, place) > STAY_RADIUS_M
      if (isOnItsWay && timeMs - period.lastMs <= LONGEST_STANDING_GAP_MS)
        return goesOn({ ...parked, period: withSample(period, observation, awayM) })
      const hasArrived = timeMs - period.lastMs >= ARRIVED_MS
      if (!isOnItsWay && (isNear || !hasArrived))
        return goesOn({ ...parked, timeMs, period: { ...period, count: LEAST_FIXES } })
      return { state: here, done: found(parked) }
    },
    goingOn: ({ timeMs, period }) =>
      period && isSure(period) ? [timeMs - period.lastMs >= ARRIVED_MS ? endedPeriod(period) : openPeriod(period)] : [],
    end: found,
  })
}

function wasSilent({ before, timeMs }: Observation): boolean {
  return before === null || timeMs - before.lastMs > LONGEST_STANDING_GAP_MS
}
