import type { Reading } from './reading.ts'
import { HYBRID_MS, WORD_FORGOTTEN_AFTER_DAYS } from './rules.ts'

/** What the dongle last said of ignition or engine; it holds until it says something else. */
export interface Word {
  readonly isOn: boolean
  /** Days (UTC) with data but without the word since, and the last of them, counted from 1970. */
  readonly silentDays: number
  readonly lastDay: number
}

/** Whose word on driving counts (decisions.md, *Trips*): the ignition's, else the engine's, else there is motion. */
export interface Power {
  readonly ignition: Word | undefined
  readonly engine: Word | undefined
  /** The ignition stayed on through an hour without motion: it is taken to be wired on, until it says off. */
  readonly isIgnitionDoubted: boolean
  /** How long the car was seen to move with its engine off, up to what makes it a hybrid. */
  readonly electricMs: number
  /** The dongle said that it is out of its socket. */
  readonly isUnplugged: boolean
}

export const POWER_UNKNOWN: Power = {
  ignition: undefined,
  engine: undefined,
  isIgnitionDoubted: false,
  electricMs: 0,
  isUnplugged: false,
}

const UNPLUGGED: Power = { ...POWER_UNKNOWN, isUnplugged: true }

const DAY_MS = 86_400_000

function wordAfter(word: Word | undefined, isOn: boolean | undefined, timeMs: number): Word | undefined {
  const day = Math.floor(timeMs / DAY_MS)
  if (isOn !== undefined)
    return word?.isOn === isOn && word.lastDay === day && word.silentDays === 0
      ? word
      : { isOn, silentDays: 0, lastDay: day }
  if (!word || word.lastDay === day) return word
  const silentDays = word.silentDays + 1
  return silentDays > WORD_FORGOTTEN_AFTER_DAYS ? undefined : { isOn: word.isOn, silentDays, lastDay: day }
}

/**
 * What counts after a reading. An unplug makes everything forgotten, because the next car may have other words; out of
 * the socket, only what comes from a car shows that the dongle is back in one.
 */
export function powerAfter(before: Power, reading: Reading): Power {
  if (reading.isPluggedIn === false) return before.isUnplugged ? before : UNPLUGGED
  const ignition = wordAfter(before.ignition, reading.isIgnitionOn, reading.timeMs)
  const engine = wordAfter(before.engine, reading.isEngineOn, reading.timeMs)
  const isUnplugged =
    before.isUnplugged &&
    reading.isPluggedIn === undefined &&
    !ignition &&
    !engine &&
    reading.vehicleSpeedKmh === undefined
  const isIgnitionDoubted = before.isIgnitionDoubted && reading.isIgnitionOn !== false && ignition !== undefined
  if (
    ignition === before.ignition &&
    engine === before.engine &&
    isUnplugged === before.isUnplugged &&
    isIgnitionDoubted === before.isIgnitionDoubted
  )
    return before
  return { ignition, engine, isIgnitionDoubted, electricMs: before.electricMs, isUnplugged }
}

/** The same when the ignition was on for an hour without motion. */
export function withDoubt(power: Power): Power {
  return power.isIgnitionDoubted || !power.ignition?.isOn ? power : { ...power, isIgnitionDoubted: true }
}

/** The same when the car moved for so long with its engine off. */
export function withElectric(power: Power, durationMs: number): Power {
  if (power.electricMs >= HYBRID_MS) return power
  return { ...power, electricMs: Math.min(HYBRID_MS, power.electricMs + durationMs) }
}

/** Whether the car drives on a battery as well, so that its engine says nothing when it is off. */
export function isHybrid({ electricMs }: Power): boolean {
  return electricMs >= HYBRID_MS
}
