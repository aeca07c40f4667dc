import { type EventTypeId, type EventTypeName, requiredEventType } from '../../../catalogue/event-types.ts'
import type { EventValue } from '../../../model/sample.ts'
import { isStorableText } from '../../../model/texts.ts'
import { ALARMS, type AlarmMeaning } from './alarms.ts'
import { BOOLEAN_ATTRIBUTES, NUMBER_ATTRIBUTES, type NumberAttribute, TEXT_ATTRIBUTES } from './attributes.ts'

type Events = Map<EventTypeId, EventValue>

/** Adds one value to the events. @returns false when it does not fit the event type. */
type PutAttribute = (events: Events, value: unknown) => boolean

/** A supply below this does not power a dongle: the car's battery has 8 V even while cranking. */
const PLUGGED_IN_VOLTS = 6

const BATTERY_VOLTAGE = requiredEventType('BATTERY_VOLTAGE').id
const IS_DONGLE_PLUGGED_IN = requiredEventType('IS_DONGLE_PLUGGED_IN').id

const ATTRIBUTES: ReadonlyMap<string, PutAttribute> = new Map([
  ...NUMBER_ATTRIBUTES.map(row => [row.attribute, numberInto(row)] as const),
  ...Object.entries(BOOLEAN_ATTRIBUTES).map(([attribute, name]) => [attribute, booleanInto(name)] as const),
  ...Object.entries(TEXT_ATTRIBUTES).map(([attribute, name]) => [attribute, textInto(name)] as const),
])

/**
 * Adds the events of attributes to `events`, after those of the fix of the same instant, because a warning may need its speed.
 * Numbers and booleans may be texts, as in a query.
 * @returns the names of unknown attributes and of those with an invalid value; alarms as `alarm:sos`.
 */
export function readAttributes(attributes: Readonly<Record<string, unknown>>, events: Events): readonly string[] {
  const leftOut: string[] = []
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || name === 'alarm') continue
    if (ATTRIBUTES.get(name)?.(events, value) !== true) leftOut.push(name)
  }
  for (const alarm of alarmsOf(attributes.alarm))
    if (!putAlarm(events, Object.hasOwn(ALARMS, alarm) ? ALARMS[alarm] : undefined)) leftOut.push(`alarm:${alarm}`)
  putPluggedIn(events)
  return leftOut
}

/** @returns a reader of that attribute, for a gateway with attributes of its own. */
export function numberInto({ eventType, multiplier, range }: NumberAttribute): PutAttribute {
  const { id } = requiredEventType(eventType)
  return (events, given) => {
    const value = numberOf(given)
    if (value === undefined || (range && (value < range[0] || value > range[1]))) return false
    // 1234567 times 0.001 is 1234.567 only when rounded.
    events.set(id, multiplier === 1 ? value : Math.round(value * multiplier * 1e6) / 1e6)
    return true
  }
}

/** The finite number in a JSON value or query text, else undefined. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && isDecimal(value) ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** Much longer than any number from a sensor; a longer text is not a number. */
const MAX_NUMBER_CHARACTERS = 100
const DECIMAL = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i

const isDecimal = (text: string) => text.length <= MAX_NUMBER_CHARACTERS && DECIMAL.test(text)

/** The boolean in a JSON value or query text, else undefined. */
export function booleanOf(value: unknown): boolean | undefined {
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : undefined
}

function booleanInto(eventType: EventTypeName): PutAttribute {
  const { id } = requiredEventType(eventType)
  return (events, given) => {
    const value = booleanOf(given)
    if (value !== undefined) events.set(id, value)
    return value !== undefined
  }
}

function textInto(eventType: EventTypeName): PutAttribute {
  const { id } = requiredEventType(eventType)
  return (events, given) => {
    const text = typeof given === 'number' ? String(given) : given
    if (!isStorableText(text)) return false
    events.set(id, text)
    return true
  }
}

/** Several alarms of one instant are separated by commas. */
function alarmsOf(alarm: unknown): readonly string[] {
  if (typeof alarm !== 'string') return alarm === null || alarm === undefined ? [] : ['']
  return alarm
    .split(',')
    .map(word => word.trim())
    .filter(word => word !== '')
}

function putAlarm(events: Events, meaning: AlarmMeaning | undefined): boolean {
  if (!meaning) return false
  const value =
    'value' in meaning
      ? meaning.value
      : meaning.valueOf.map(name => events.get(requiredEventType(name).id)).find(found => found !== undefined)
  if (value === undefined) return false
  events.set(requiredEventType(meaning.eventType).id, value)
  return true
}

/** Without this a tracker that once sent `powerCut` would stay unplugged: few protocols send `powerRestored`. */
function putPluggedIn(events: Events): void {
  const volts = events.get(BATTERY_VOLTAGE)
  if (typeof volts === 'number' && volts >= PLUGGED_IN_VOLTS && !events.has(IS_DONGLE_PLUGGED_IN))
    events.set(IS_DONGLE_PLUGGED_IN, true)
}
