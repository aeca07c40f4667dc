import { requiredEventType } from '../../../../catalogue/event-types.ts'
import { MOTION_KMH } from '../../../trips/derive/rules.ts'
import { detector, goesOn, type KindOfRule, NOTHING, type Stepped } from '../detector.ts'
import { type Moment, sinceBeforeMs } from '../moment.ts'
import { numberIn } from '../number-in.ts'
import { SPELL_PACKING } from '../packed-spell.ts'
import { numberOf, type RuleVersion } from '../rule-book.ts'
import { isStayShown } from '../situation.ts'
import { endedSpell, lastedMs, openSpell, type Spell, spellFrom, withSample } from '../spell.ts'
import { LONGEST_DRIVING_GAP_MS } from './bounds.ts'

const GREATEST = requiredEventType('VEHICLE_SPEED_MAX')
const SPEED_TYPES = [requiredEventType('VEHICLE_SPEED_AVERAGE'), GREATEST, requiredEventType('GPS_SPEED')]
const SPEED_IDS = SPEED_TYPES.map(({ id }) => id)

/** How fast the car is at a moment. */
interface SpeedNow {
  readonly kmh: number
  /** For how long before the sample it was so fast on average; 0 for a reading of the moment. */
  readonly meanMs: number
  /** The greatest one that was told. */
  readonly topKmh: number
}

/** The speed at a moment, if the car moves indeed; undefined where nothing tells. */
function speedAt(moment: Moment): SpeedNow | undefined {
  const { reading, motion, isFixBelieved, now, timeMs } = moment
  const byReceiver = isFixBelieved ? reading.gpsSpeedKmh : undefined
  const kmh = reading.vehicleSpeedKmh ?? byReceiver
  if (kmh === undefined) return undefined
  // A control unit that repeats its last speed while the car is parked.
  if (motion === 'standing') return { kmh: 0, meanMs: 0, topKmh: 0 }
  // Without a right fix, a receiver that tells of no motion is believed where the fixes before show none: the car has not left since.
  const isReceiverStill = reading.gpsSpeedKmh !== undefined && reading.gpsSpeedKmh <= MOTION_KMH
  if (isReceiverStill && kmh > MOTION_KMH && (isFixBelieved || isStayShown(now, timeMs))) return undefined
  const meanMs = reading.isTrueMean ? (sinceBeforeMs(moment) ?? 0) : 0
  const topKmh = reading.vehicleSpeedKmh === undefined ? kmh : Math.max(kmh, numberIn(moment, GREATEST) ?? kmh)
  return { kmh, meanMs, topKmh }
}

/** What speeding needs to count. */
interface SpeedLimit {
  readonly limitKmh: number
  readonly toleranceKmh: number
  readonly forMs: number
}

/** Longer than any sensor needs for an error, and than two readings of one that repeats itself. */
const LEAST_READINGS = 2

/** Whether it is more than a single reading. The mean of an interval is more than one. */
export function isSpeeding(spell: Spell, { forMs }: SpeedLimit): boolean {
  const isMean = spell.count === 1 && lastedMs(spell) > 0
  return (spell.count >= LEAST_READINGS || isMean) && lastedMs(spell) >= forMs
}

/** One more sample of what may be speeding: it begins above limit and tolerance, and ends at the limit. */
export function stepSpeeding(spell: Spell | null, moment: Moment, limit: SpeedLimit): Stepped<Spell> {
  // Most cars are slow most of the time.
  if (!spell && !mayBegin(moment, limit)) return NOTHING
  const speed = speedAt(moment)
  if (!speed) return spell ? goesOn(spell) : NOTHING
  const { kmh, meanMs, topKmh } = speed
  if (spell && kmh > limit.limitKmh) return goesOn(withSample(spell, moment, topKmh))
  if (spell) return isSpeeding(spell, limit) ? { state: null, done: [endedSpell(spell)] } : NOTHING
  if (kmh <= limit.limitKmh + limit.toleranceKmh) return NOTHING
  const longestMs = Math.min(meanMs, LONGEST_DRIVING_GAP_MS)
  return goesOn(spellFrom(moment, topKmh, moment.timeMs - longestMs))
}

function mayBegin(
  { reading: { vehicleSpeedKmh, gpsSpeedKmh } }: Moment,
  { limitKmh, toleranceKmh }: SpeedLimit,
): boolean {
  return (vehicleSpeedKmh ?? gpsSpeedKmh ?? 0) > limitKmh + toleranceKmh
}

/** @param rule of a kind with these parameters */
export function speedLimitOf(rule: RuleVersion): SpeedLimit {
  return {
    limitKmh: numberOf(rule, 'limitKmh'),
    toleranceKmh: numberOf(rule, 'toleranceKmh'),
    forMs: numberOf(rule, 'forS') * 1000,
  }
}

export const speeding: KindOfRule = rule => {
  const limit = speedLimitOf(rule)
  return detector<Spell>({
    begins: SPEED_IDS,
    beginsOnly: { aboveKmh: limit.limitKmh + limit.toleranceKmh },
    occasion: { types: SPEED_IDS, above: limit.limitKmh + limit.toleranceKmh, needs: 'motion' },
    isDeafToOthers: true,
    longestGapMs: LONGEST_DRIVING_GAP_MS,
    packing: SPELL_PACKING,
    step: (spell, moment) => stepSpeeding(spell, moment, limit),
    goingOn: spell => (isSpeeding(spell, limit) ? [openSpell(spell)] : []),
    end: spell => (isSpeeding(spell, limit) ? [endedSpell(spell)] : []),
  })
}
