import { formatAge, formatDuration, formatNumber, formatQuantity } from '../language/format.ts'
import { type Language, textsIn } from '../language/language.ts'
import type { CarState, Energy, Movement, MovementKind, Reason } from './car-state.ts'
import type { Contact } from './dongle-state.ts'

/** So many codes are named before the others are counted. */
const MOST_CODES = 3

/** Why a car needs a look, in words. */
export function reasonText(reason: Reason, language: Language): string {
  const texts = textsIn('carState', language)
  switch (reason.kind) {
    case 'battery': {
      const [text, volts] = [texts.batteries[reason.state], reason.voltageV]
      return volts === undefined ? text : texts.withVoltage(text, formatQuantity(volts, 'V', language))
    }
    case 'lamp':
      return texts.lamp
    case 'codes':
      return texts.codes(reason.codes.slice(0, MOST_CODES), Math.max(0, reason.codes.length - MOST_CODES))
    case 'unnamedCodes': {
      const count = reason.count === undefined ? undefined : formatNumber(reason.count, language, 0)
      return texts.unnamedCodes[reason.why](count)
    }
    case 'unplugged':
      return texts.unplugged
  }
}

/** What there is to say of a movement beside its name; empty when the name says it all. */
export function movementDetail(movement: Movement, nowMs: number, language: Language): string {
  const texts = textsIn('carState', language)
  switch (movement.kind) {
    case 'driving':
      return movement.speedKmh === undefined ? '' : formatQuantity(movement.speedKmh, 'km/h', language, 0)
    case 'silent': {
      const age = formatAge(movement.sinceMs, nowMs, language)
      return movement.isInTrip ? texts.lostInTrip(age) : texts.lastValues(age)
    }
    case 'withoutDongle':
      return movement.sinceMs === undefined
        ? texts.neverHadDongle
        : texts.dongleGone(formatAge(movement.sinceMs, nowMs, language))
    case 'catchingUp':
      return texts.catchingUp(formatAge(movement.measuredMs, nowMs, language))
    case 'neverReported':
      return texts.neverHeard
    case 'idling':
    case 'parked':
      return ''
  }
}

/** The same in the few words that a row of a list has room for: speed, else the age of the newest value. */
export function shortDetail({ movement, newestMs }: CarState, nowMs: number, language: Language): string {
  if (movement.kind === 'driving') return movementDetail(movement, nowMs, language)
  return newestMs === undefined ? '' : formatAge(newestMs, nowMs, language)
}

const DAY_S = 24 * 3600

/** How long ago the trip ended that brought a car to where it is parked; empty when that is yet to come. */
export function parkedText(endMs: number, nowMs: number, language: Language): string {
  const texts = textsIn('carState', language)
  const parkedS = (nowMs - endMs) / 1000
  if (parkedS < 0) return ''
  if (parkedS < 2 * DAY_S) return texts.parkedFor(formatDuration(parkedS))
  return texts.parkedForDays(formatNumber(Math.floor(parkedS / DAY_S), language, 0))
}

export function energyText({ kind, value, unit, isCharging }: Energy, language: Language): string {
  const texts = textsIn('carState', language)
  const amount = `${texts.energy[kind]} ${formatQuantity(value, unit, language, 0)}`
  return isCharging ? `${amount}, ${texts.charging}` : amount
}

/** When a dongle was heard last. */
export function heardText(contact: Contact, nowMs: number, language: Language): string {
  const texts = textsIn('carState', language)
  switch (contact.kind) {
    case 'online':
    case 'catchingUp':
      // What it sends now may have been measured long ago.
      return texts.heardNow
    case 'asleep':
    case 'silent':
      return formatAge(contact.heardMs, nowMs, language)
    case 'never':
      return texts.never
    case 'offline':
    case 'unknown':
      return contact.because === 'forbidden' ? texts.notVisible : texts.awaited
  }
}

interface StateColor {
  /** A colour of the theme, for badges and marks. */
  readonly name: string
  /** The same for what is not drawn by the browser's style sheets: maps, charts. Seen on light and dark ground. */
  readonly hex: string
}

/**
 * One colour per movement, everywhere; shapes and words show it, too. In the order of the list: after what needs attention, what is not as it
 * should be, then what moves.
 */
export const MOVEMENT_COLORS: Readonly<Record<MovementKind, StateColor>> = {
  silent: { name: 'red', hex: '#a8636b' },
  driving: { name: 'teal', hex: '#099268' },
  idling: { name: 'lime', hex: '#5c940d' },
  catchingUp: { name: 'indigo', hex: '#5c6bc0' },
  parked: { name: 'gray', hex: '#748089' },
  neverReported: { name: 'gray', hex: '#8d7f9c' },
  withoutDongle: { name: 'gray', hex: '#8d7f9c' },
}

export const MOVEMENTS = Object.keys(MOVEMENT_COLORS) as readonly MovementKind[]

export const ATTENTION_COLOR: StateColor = { name: 'orange', hex: '#e8590c' }
