import { formatDuration, formatNumber, formatQuantity, localeOf, textsIn } from '../language/language.ts'
import { EVENT_TYPE_LOOKS, type MeasurementGroup, pointOf } from './event-types.ts'

/** How what is newer than this console is shown. */
const UNKNOWN = { group: 'other', rank: Number.MAX_VALUE, digits: 2 } as const

export function looksOf(eventType: string) {
  return EVENT_TYPE_LOOKS.get(eventType) ?? UNKNOWN
}

/** What people call an event type; one that is newer than this console is at least readable. */
export function eventTypeName(eventType: string): string {
  return nameIn(textsIn('eventTypes'), eventType) ?? readable(eventType)
}

/** Items in their groups, both in the order in which they are shown; groups without items are left out. */
export function grouped<T extends { readonly eventType: string }>(items: readonly T[]) {
  const groups = new Map<MeasurementGroup, readonly T[]>()
  for (const item of items.toSorted((a, b) => looksOf(a.eventType).rank - looksOf(b.eventType).rank)) {
    const { group } = looksOf(item.eventType)
    groups.set(group, [...(groups.get(group) ?? []), item])
  }
  return Array.from(groups, ([group, of]) => ({ group, items: of }))
}

/** Names of objects in general are none. */
function nameIn(names: Readonly<Record<string, string>>, eventType: string): string | undefined {
  return Object.hasOwn(names, eventType) ? names[eventType] : undefined
}

/** `HV_BATTERY_SOC` as `Hv battery soc`. */
function readable(eventType: string): string {
  const words = eventType.toLowerCase().replaceAll('_', ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A value as the API sends it. */
interface MeasuredValue {
  readonly eventType: string
  readonly value: number | boolean | string
  /** Only of numbers. */
  readonly unit?: string | undefined
}

/** Types that say whether something is running; the others say whether something is so. */
const SWITCHES = new Set(['ENGINE_STATE', 'IS_GPS_SWITCH_ON', 'IS_IGNITION_ON', 'IS_MIL_ON'])

/** Seconds and minutes are shown as hours and minutes. */
const SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60 }

/** A value in words of the language, with its unit. */
export function valueText({ eventType, value, unit = '' }: MeasuredValue): string {
  if (typeof value === 'boolean') return booleanText(eventType, value)
  if (typeof value === 'string') return stringText(eventType, value)
  const seconds = SECONDS[unit]
  if (seconds !== undefined && value >= 0) return formatDuration(value * seconds)
  return formatQuantity(value, unit, looksOf(eventType).digits)
}

export function booleanText(eventType: string, value: boolean): string {
  const kind = SWITCHES.has(eventType) ? 'switched' : eventType === 'ALARM_SYSTEM' ? 'installed' : 'answered'
  const words = textsIn('values')[kind]
  return value ? words.yes : words.no
}

function stringText(eventType: string, value: string): string {
  const texts = textsIn('values')
  if (value.trim() === '') return texts.none
  switch (eventType) {
    case 'BATTERY_STATE':
      return textsIn('batteryStates')[value] ?? value
    case 'POSITION':
      return positionText(value)
    case 'NETWORK_CELL_INFO':
      return cellText(value)
    case 'GENERAL_INSPECTION_DATE':
    case 'OIL_SERVICE_DATE':
    case 'SERVICE_DATE':
      return monthText(value)
    case 'TIME_TO_FIRST_FIX':
      return value.replace(/(?<![\d.])(\d+(?:\.\d+)?) *ms\b/i, (_match, ms: string) =>
        formatQuantity(Number(ms) / 1000, 's'),
      )
    case 'OBD_DTC_PERMANENT':
    case 'OBD_DTC_SPORADIC':
      return value
        .split(/[\s,;]+/)
        .filter(Boolean)
        .join(', ')
    default:
      return value
  }
}

/** Said in the order that people know from maps. */
function positionText(value: string): string {
  const point = pointOf(value)
  if (!point) return value
  const { longitude, latitude } = point
  const { north, south, east, west } = textsIn('values')
  const degrees = (angle: number) => `${formatNumber(Math.abs(angle), 5)}°`
  return `${degrees(latitude)}\u00a0${latitude < 0 ? south : north}, ${degrees(longitude)}\u00a0${longitude < 0 ? west : east}`
}

/** `MCC;MNC;LAC;CellId` (fleet-api-v2.md, *STRING event types*). */
function cellText(value: string): string {
  const [country, network, area, cell] = value.split(';')
  if (!country || !network || !area || !cell) return value
  return textsIn('values').cell(`${country}-${network}`, area, cell)
}

/** Month and year, whatever is between them, and whichever comes first. */
function monthText(value: string): string {
  const match = /^(\d{1,2})\D(\d{4})$/.exec(value) ?? /^(\d{4})\D(\d{1,2})$/.exec(value)
  if (!match?.[1] || !match[2]) return value
  const [month, year] =
    match[1].length === 4 ? [Number(match[2]), Number(match[1])] : [Number(match[1]), Number(match[2])]
  if (month < 1 || month > 12) return value
  const date = new Date(Date.UTC(year, month - 1))
  return date.toLocaleDateString(localeOf(), { month: 'long', year: 'numeric', timeZone: 'UTC' })
}
