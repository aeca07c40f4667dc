import { type EventType, type EventTypeName, requiredEventType } from '../../../catalogue/event-types.ts'
import type { Json } from '../../fold-part.ts'
import { numberOf, textOf } from '../../rules/rule-book.ts'
import { isEngineRunning, numberIn } from '../car-state.ts'
import {
  ANY_GAP_MS,
  type Detector,
  detector,
  goesOn,
  type KindOfRule,
  LONGEST_PARKED_GAP_MS,
  LONGEST_STANDING_GAP_MS,
  NOTHING,
} from '../detector.ts'
import { endedAt, endedPeriod, lastedMs, openPeriod, type Period, periodFrom, withSample } from '../period.ts'

interface Threshold {
  readonly type: EventTypeName
  /** It begins beyond it. */
  readonly limit: number
  /** It ends when the value is back by more than this. */
  readonly hysteresis: number
  readonly forMs: number
  readonly isBelow: boolean
  /** Values beyond it are what the car sends for none. */
  readonly most?: number
}

/** A value is beyond a limit for a time; a single reading is enough where that time is 0. */
function thresholdDetector({ type, limit, hysteresis, forMs, isBelow, most = Infinity }: Threshold): Detector<Json> {
  const eventType = requiredEventType(type)
  const isBeyond = (value: number, by: number) => (isBelow ? value < by : value > by)
  const back = isBelow ? limit + hysteresis : limit - hysteresis
  const isLong = (period: Period) => lastedMs(period) >= forMs
  return detector<Period>({
    types: [eventType.id],
    longestGapMs: LONGEST_STANDING_GAP_MS,
    step(period, observation) {
      const value = numberIn(observation, eventType)
      if (value === undefined || value > most) return period ? goesOn(period) : NOTHING
      if (isBeyond(value, period ? back : limit))
        return {
          state: period ? withSample(period, observation, value, isBelow) : periodFrom(observation, value),
          done: [],
        }
      return period && isLong(period) ? { state: null, done: [endedPeriod(period)] } : NOTHING
    },
    goingOn: period => (isLong(period) ? [openPeriod(period)] : []),
    end: period => (isLong(period) ? [endedPeriod(period)] : []),
  })
}

const valueBeyond =
  (isBelow: boolean): KindOfRule =>
  rule =>
    thresholdDetector({
      type: textOf(rule, 'eventType') as EventTypeName,
      limit: numberOf(rule, 'limit'),
      hysteresis: numberOf(rule, 'hysteresis'),
      forMs: numberOf(rule, 'forS') * 1000,
      isBelow,
    })

export const valueAbove = valueBeyond(false)
export const valueBelow = valueBeyond(true)

/** OBD's greatest temperature is 215 °C, which cars send for none. */
const MOST_COOLANT_C = 200

export const engineHot: KindOfRule = rule =>
  thresholdDetector({
    type: 'ENGINE_COOLANT_TEMPERATURE',
    limit: numberOf(rule, 'aboveC'),
    hysteresis: COOLED_BY_C,
    forMs: numberOf(rule, 'forS') * 1000,
    isBelow: false,
    most: MOST_COOLANT_C,
  })

/** A thermostat that works keeps the temperature within less. */
const COOLED_BY_C = 5

/** From when the dongle reports a value until it reports another one. */
function flagDetector(type: EventType, value: 0 | 1, isOfDongle: boolean): Detector<Json> {
  return detector<Period>({
    types: [type.id],
    longestGapMs: ANY_GAP_MS,
    isOfDongle,
    step(period, observation) {
      const reported = numberIn(observation, type)
      if (reported === undefined) return period ? goesOn(period) : NOTHING
      if (reported === value) return { state: period ?? periodFrom(observation, null), done: [] }
      return period ? { state: null, done: [endedAt(period, observation.now)] } : NOTHING
    },
    goingOn: period => [openPeriod(period)],
    end: (period, last) => [last.lastMs > period.startMs ? endedAt(period, last) : endedPeriod(period)],
  })
}

export const malfunctionIndicatorOn: KindOfRule = () => flagDetector(requiredEventType('IS_MIL_ON'), 1, false)

export const unplugged: KindOfRule = () => flagDetector(requiredEventType('IS_DONGLE_PLUGGED_IN'), 0, true)

/** Since when the car has been at rest, and whether its voltage is low. */
type Rest = { readonly sinceMs: number; readonly period: Period | null }

const VOLTAGE = requiredEventType('BATTERY_VOLTAGE')
const BATTERY_TYPES = [VOLTAGE, requiredEventType('IS_IGNITION_ON'), requiredEventType('ENGINE_STATE')]

/** By so much the voltage must have risen, for the battery to have been charged: less is the temperature. */
const RECOVERED_V = 0.2
/** The generator, or a charger. */
const CHARGING_V = 13
/** A starter takes an instant, and so does a single wrong reading. */
const LEAST_READINGS = 2

/** The voltage of the starter battery is low while the car has been at rest for a while: driving and starting say nothing. */
export const lowBattery: KindOfRule = rule => {
  const belowV = numberOf(rule, 'belowV')
  const restMs = numberOf(rule, 'restMinutes') * 60_000
  const isSure = (period: Period) => period.count >= LEAST_READINGS
  return detector<Rest>({
    types: BATTERY_TYPES.map(({ id }) => id),
    longestGapMs: LONGEST_PARKED_GAP_MS,
    step(rest, observation) {
      const { timeMs, now, motion } = observation
      const voltageV = numberIn(observation, VOLTAGE)
      const ended = rest?.period && isSure(rest.period) ? [endedPeriod(rest.period)] : []
      // A hybrid drives with its engine off; a car whose ignition is off is towed.
      const isDriven = motion === 'moving' && now.isIgnitionOn !== false
      const isAtRest = isEngineRunning(now) === false && now.isIgnitionOn !== true && !isDriven
      if (!isAtRest) return ended.length > 0 ? { state: null, done: ended } : NOTHING
      const sinceMs = rest?.sinceMs ?? timeMs
      const period = rest?.period ?? null
      if (voltageV === undefined || voltageV <= 0) return goesOn(rest ?? { sinceMs, period })
      // The charge on its surface is gone only some time after it was charged.
      if (voltageV >= CHARGING_V) return { state: { sinceMs: timeMs, period: null }, done: ended }
      if (timeMs - sinceMs < restMs) return goesOn(rest ?? { sinceMs, period })
      if (voltageV < (period ? belowV + RECOVERED_V : belowV)) {
        const low = period ? withSample(period, observation, voltageV, true) : periodFrom(observation, voltageV)
        return goesOn({ sinceMs, period: low })
      }
      return { state: { sinceMs, period: null }, done: ended }
    },
    goingOn: ({ period }) => (period && isSure(period) ? [openPeriod(period)] : []),
    end: ({ period }) => (period && isSure(period) ? [endedPeriod(period)] : []),
  })
}
