import { type EventTypeName, requiredEventType } from '../../../catalogue/event-types.ts'
import { distanceM } from '../../../model/earth.ts'
import { numberOf, textOf } from '../../rules/rule-book.ts'
import { UNSEEN_WAY_M } from '../../trips/rules.ts'
import { isEngineRunning, numberIn } from '../car-state.ts'
import {
  detector,
  type Finding,
  goesOn,
  isAsleep,
  type KindOfRule,
  LONGEST_UNUSED_GAP_MS,
  NOTHING,
  type Observation,
  type Stepped,
} from '../detector.ts'

/** The level that others are compared with, since when, and when and where it was last read. */
type Base = {
  readonly level: number
  readonly sinceMs: number
  readonly timeMs: number
  readonly lon: number | null
  readonly lat: number | null
  readonly odometerKm: number | null
}

/** Another level, on either side, since it was first read. It may be false until it has lasted. */
type Change = Base & { readonly isSure: boolean }

type Level = { readonly base: Base; readonly change: Change | null }

/** The share of a change that the next readings must confirm: the level settles after filling, and sloshes. */
const CONFIRMED_SHARE = 0.6
/** While the car drives, the level sloshes: the base follows it by this share of each reading. */
const FOLLOWED_SHARE = 0.3
/** Less than this share of the wanted change does not move a parked car's base: temperature, and the rounding of the sensor. */
const STILL_SHARE = 0.1
/** So much of the odometer, and the car has been driven meanwhile. */
const DRIVEN_KM = 1

interface LevelRule {
  readonly type: EventTypeName
  /** 1 for a level that rises, -1 for one that falls. */
  readonly sign: 1 | -1
  /** In the unit of the type. */
  readonly least: number
  /** Only while the car is parked with its engine off. */
  readonly isParkedOnly: boolean
  /** It goes on as long as the level changes; else it ends as soon as the level is confirmed. */
  readonly lasts: boolean
}

/** So long in one place, or so long the same with the engine running, and the level shows what is in the tank: on a
 * slope it lies, and a control unit that has just woken says anything. */
const SETTLED_MS = 5 * 60_000

/** No car or truck uses as much on a kilometre: half a litre, or of a tank of 50 litres a quarter of one. */
const MOST_PER_KM: Readonly<Record<string, number>> = { FUEL_LEVEL: 0.5, FUEL_LEVEL_PERCENT: 0.5 }
/** A dongle that was off for a longer way saw too little to say where the fuel went; one that was off for less time, the level sloshing. */
const MOST_UNSEEN_KM = 50
const LEAST_UNSEEN_MS = 10 * 60_000

/** A level that rises, or falls, by so much. */
function levelDetector({ type, sign, least, isParkedOnly, lasts }: LevelRule) {
  const eventType = requiredEventType(type)
  const mostPerKm = MOST_PER_KM[type] ?? Number.POSITIVE_INFINITY
  const changeOf = (from: number, to: number) => (to - from) * sign

  const found = ({ base, change }: Level): Finding[] => {
    if (!change?.isSure) return []
    const { level, timeMs, lon, lat } = change
    const start = { startMs: base.timeMs, startLongitude: base.lon, startLatitude: base.lat }
    const peak = Math.round(changeOf(base.level, level) * 100) / 100
    const end = { endMs: timeMs, endLongitude: lon, endLatitude: lat }
    return [{ ...start, ...end, peak, peakMs: timeMs, areaId: null, detail: null }]
  }

  /** Goes on from a level that nothing is compared with any more. */
  const anew = (
    observation: Observation,
    level: number,
    sinceMs = beganMs(observation),
    done: readonly Finding[] = [],
  ): Stepped<Level> => ({ state: { base: baseAt(observation, level, sinceMs), change: null }, done })

  /** An odometer never goes back: the samples are of two cars, or a clock was wrong. */
  const isFromElsewhere = ({ base }: Level, { now: { odometerKm } }: Observation) =>
    base.odometerKm !== null && odometerKm !== null && odometerKm < base.odometerKm - DRIVEN_KM

  const begun = (base: Base, observation: Observation, level: number): Stepped<Level> => {
    const moved = changeOf(base.level, level)
    const isSame = Math.abs(moved) < least
    if (!isSame && !hasLasted(base, base.timeMs)) return anew(observation, level)
    const sinceMs = isSame ? Math.min(base.sinceMs, beganMs(observation)) : beganMs(observation)
    if (isParkedOnly && !isParked(base, observation)) {
      const usedMost = drivenUnseenKm(base, observation) * mostPerKm
      if (moved - usedMost < least) return anew(observation, level, sinceMs)
    }
    if (!isSame) return goesOn({ base, change: { ...baseAt(observation, level, sinceMs), isSure: false } })
    if (isDriven(observation)) {
      const followed = base.level + (level - base.level) * FOLLOWED_SHARE
      return anew(observation, Math.round(followed * 1000) / 1000, sinceMs)
    }
    // A slow change must not take the base with it; one against it must.
    if (moved < 0) return anew(observation, level, sinceMs)
    return moved <= least * STILL_SHARE ? anew(observation, base.level, sinceMs) : goesOn({ base, change: null })
  }

  const goneOn = (base: Base, change: Change, observation: Observation, level: number): Stepped<Level> => {
    const changed = changeOf(base.level, change.level)
    const isKept = changeOf(base.level, level) * Math.sign(changed) >= least * CONFIRMED_SHARE
    if (!change.isSure && !isKept) return begun(base, observation, level)
    const isSure = change.isSure || hasLasted(change, observation.timeMs) || beganMs(observation) === 0
    // On the other side it is no finding, but true from its first reading on.
    if (changed < 0) return isSure ? begun(change, observation, level) : goesOn({ base, change })
    const rises = changeOf(change.level, level) > least * STILL_SHARE
    if (rises) return goesOn({ base, change: { ...baseAt(observation, level, change.sinceMs), isSure } })
    const state: Level = { base, change: { ...change, isSure } }
    const mayGoOn = lasts && !isDriven(observation) && changeOf(change.level, level) >= 0
    return isSure && !mayGoOn ? anew(observation, level, change.sinceMs, found(state)) : goesOn(state)
  }

  return detector<Level>({
    types: [eventType.id],
    longestGapMs: LONGEST_UNUSED_GAP_MS,
    step(state, observation) {
      const level = numberIn(observation, eventType)
      // 0 is what control units say before they know, and hardly a level: pumps fall dry before.
      if (level === undefined || level <= 0) return state ? goesOn(state) : NOTHING
      if (!state) return anew(observation, level)
      if (isFromElsewhere(state, observation)) return anew(observation, level, beganMs(observation), found(state))
      const { base, change } = state
      return change ? goneOn(base, change, observation, level) : begun(base, observation, level)
    },
    goingOn: found,
    end: found,
  })
}

/** Since when a level holds that is read now: at rest one is as good as many. */
function beganMs(observation: Observation): number {
  return isDriven(observation) || isEngineRunning(observation.now) ? observation.timeMs : 0
}

function hasLasted({ sinceMs }: Pick<Base, 'sinceMs'>, untilMs: number): boolean {
  return untilMs - sinceMs >= SETTLED_MS
}

function baseAt({ timeMs, now: { place, odometerKm } }: Observation, level: number, sinceMs: number): Base {
  return { level, sinceMs, timeMs, lon: place?.lon ?? null, lat: place?.lat ?? null, odometerKm }
}

/** A receiver that wanders moves no car whose ignition is off. */
function isDriven(observation: Observation): boolean {
  return observation.motion === 'moving' && !isAsleep(observation)
}

/** By odometer and fixes the car stood since the level was read, and its engine is or was off, or it stood for a while:
 * control units may repeat their last value while it is parked. */
function isParked({ lon, lat, odometerKm }: Base, observation: Observation): boolean {
  const { now, before, motion } = observation
  if (isDriven(observation)) return false
  // Fuel that sloshes has settled by then, and an engine at idle uses next to nothing.
  const hasStood = motion === 'standing' && now.staySinceMs !== null && now.lastMs - now.staySinceMs >= SETTLED_MS
  if (before && isEngineRunning(before) === true && !hasStood) return false
  if (odometerKm !== null && now.odometerKm !== null && Math.abs(now.odometerKm - odometerKm) >= DRIVEN_KM) return false
  const here = now.place?.rival ?? now.place
  return lon === null || lat === null || here === null || distanceM({ lon, lat }, here) <= UNSEEN_WAY_M
}

/** The kilometres that were driven since a level was read, if nothing was read for a while; infinite where nobody knows. */
function drivenUnseenKm({ timeMs, odometerKm }: Base, { timeMs: nowMs, now }: Observation): number {
  if (nowMs - timeMs < LEAST_UNSEEN_MS || odometerKm === null || now.odometerKm === null)
    return Number.POSITIVE_INFINITY
  const km = now.odometerKm - odometerKm
  return km >= 0 && km <= MOST_UNSEEN_KM ? km : Number.POSITIVE_INFINITY
}

export const refuelled: KindOfRule = rule =>
  levelDetector({
    type: fuelTypeOf(textOf(rule, 'measuredBy')),
    sign: 1,
    least: numberOf(rule, 'rise'),
    isParkedOnly: false,
    lasts: false,
  })

export const fuelLost: KindOfRule = rule =>
  levelDetector({
    type: fuelTypeOf(textOf(rule, 'measuredBy')),
    sign: -1,
    least: numberOf(rule, 'fall'),
    isParkedOnly: true,
    lasts: false,
  })

export const charged: KindOfRule = rule =>
  levelDetector({
    type: 'HV_BATTERY_SOC',
    sign: 1,
    least: numberOf(rule, 'risePercent'),
    isParkedOnly: false,
    lasts: true,
  })

function fuelTypeOf(word: string): EventTypeName {
  return word === 'FUEL_LEVEL' ? word : 'FUEL_LEVEL_PERCENT'
}
