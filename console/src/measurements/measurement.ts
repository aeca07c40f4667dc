import { type Language, textsIn } from '../language/language.ts'
import { EVENT_TYPE_LOOKS, type EventTypeLooks } from './event-type-names.ts'
import { MEASUREMENT_GROUPS, type MeasurementGroup } from './groups.ts'

const UNKNOWN_DIGITS = 2

/** What people call an event type; one that is newer than this console is at least readable. */
export function eventTypeName(eventType: string, language: Language): string {
  return nameIn(textsIn('eventTypes', language), eventType) ?? readable(eventType)
}

export function groupOf(eventType: string): MeasurementGroup {
  return known(eventType)?.group ?? 'other'
}

/** How many digits after the decimal point say something. */
export function digitsOf(eventType: string): number {
  return known(eventType)?.digits ?? UNKNOWN_DIGITS
}

const RANKS = new Map(Object.keys(EVENT_TYPE_LOOKS).map((eventType, rank) => [eventType, rank]))

/** Items in their groups, both in the order in which they are shown; groups without items are left out. */
export function grouped<T>(
  items: readonly T[],
  typeOf: (item: T) => string,
): readonly { readonly group: MeasurementGroup; readonly items: readonly T[] }[] {
  const ordered = items.toSorted((a, b) => rankOf(typeOf(a)) - rankOf(typeOf(b)))
  return MEASUREMENT_GROUPS.map(group => ({
    group,
    items: ordered.filter(item => groupOf(typeOf(item)) === group),
  })).filter(part => part.items.length > 0)
}

/** Names of objects in general are none. */
function nameIn(names: Readonly<Record<string, string>>, eventType: string): string | undefined {
  return Object.hasOwn(names, eventType) ? names[eventType] : undefined
}

function known(eventType: string): EventTypeLooks | undefined {
  return Object.hasOwn(EVENT_TYPE_LOOKS, eventType) ? EVENT_TYPE_LOOKS[eventType] : undefined
}

function rankOf(eventType: string): number {
  return RANKS.get(eventType) ?? RANKS.size
}

/** `HV_BATTERY_SOC` as `Hv battery soc`. */
function readable(eventType: string): string {
  const words = eventType.toLowerCase().replaceAll('_', ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
