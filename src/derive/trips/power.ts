import type { Reading } from './reading.ts'
import { WORD_FORGOTTEN_AFTER_DAYS } from './rules.ts'

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
  /** The dongle said that it is out of its socket. */
  readonly isUnplugged: boolean
}

export const POWER_UNKNOWN: Power = { ignition: undefined, engine: undefined, isUnplugged: false }

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
  if (ignition === before.ignition && engine === before.engine && isUnplugged === before.isUnplugged) return before
  return { ignition, engine, isUnplugged }
}
