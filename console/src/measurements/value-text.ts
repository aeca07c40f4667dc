import { formatDuration, formatNumber, formatQuantity } from '../language/format.ts'
import { type Language, localeOf, textsIn } from '../language/language.ts'
import { digitsOf } from './measurement.ts'

/** A value as the API sends it. */
interface MeasuredValue {
  readonly eventType: string
  readonly value: number | boolean | string
  /** Only of numbers. */
  readonly unit?: string | undefined
}

/** Types that say whether something is running; the others say whether something is so. */
const SWITCHES = new Set(['ENGINE_STATE', 'IS_GPS_SWITCH_ON', 'IS_IGNITION_ON', 'IS_MIL_ON'])
const INSTALLED = new Set(['ALARM_SYSTEM'])

/** Seconds and minutes are shown as hours and minutes. */
const SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60 }

/** A value in words of the language, with its unit. */
export function valueText({ eventType, value, unit = '' }: MeasuredValue, language: Language): string {
  if (typeof value === 'boolean') return booleanText(eventType, value, language)
  if (typeof value === 'string') return stringText(eventType, value, language)
  const seconds = SECONDS[unit]
  if (seconds !== undefined && value >= 0) return formatDuration(value * seconds)
  return formatQuantity(value, unit, language, digitsOf(eventType))
}

export function booleanText(eventType: string, value: boolean, language: Language): string {
  const words = textsIn('values', language)[wordsOf(eventType)]
  return value ? words.yes : words.no
}

function wordsOf(eventType: string): 'switched' | 'installed' | 'answered' {
  if (SWITCHES.has(eventType)) return 'switched'
  return INSTALLED.has(eventType) ? 'installed' : 'answered'
}

function stringText(eventType: string, value: string, language: Language): string {
  const texts = textsIn('values', language)
  if (value.trim() === '') return texts.none
  switch (eventType) {
    case 'BATTERY_STATE':
      return textsIn('batteryStates', language)[value] ?? value
    case 'POSITION':
      return positionText(value, language)
    case 'NETWORK_CELL_INFO':
      return cellText(value, language)
    case 'GENERAL_INSPECTION_DATE':
    case 'OIL_SERVICE_DATE':
    case 'SERVICE_DATE':
      return monthText(value, language)
    case 'TIME_TO_FIRST_FIX':
      return value.replace(/(?<![\d.])(\d+(?:\.\d+)?) *ms\b/i, (_match, ms: string) =>
        secondsText(Number(ms), language),
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

/** `POINT(<lon> <lat>)` (fleet-api-v2.md, *Event*), said in the order that people know from maps. */
function positionText(value: string, language: Language): string {
  const match = /^POINT\((\S+) (\S+)\)$/.exec(value)
  if (!match) return value
  const [longitude, latitude] = [Number(match[1]), Number(match[2])]
  const { north, south, east, west } = textsIn('values', language)
  const degrees = (angle: number) => `${formatNumber(Math.abs(angle), language, 5)}°`
  return `${degrees(latitude)}\u00a0${latitude < 0 ? south : north}, ${degrees(longitude)}\u00a0${longitude < 0 ? west : east}`
}

/** `MCC;MNC;LAC;CellId` (fleet-api-v2.md, *STRING event types*). */
function cellText(value: string, language: Language): string {
  const [country, network, area, cell] = value.split(';')
  if (!country || !network || !area || !cell) return value
  return textsIn('values', language).cell(`${country}-${network}`, area, cell)
}

/** Month and year, whatever is between them, and whichever comes first. */
function monthText(value: string, language: Language): string {
  const match = /^(\d{1,2})\D(\d{4})$/.exec(value) ?? /^(\d{4})\D(\d{1,2})$/.exec(value)
  if (!match?.[1] || !match[2]) return value
  const [month, year] =
    match[1].length === 4 ? [Number(match[2]), Number(match[1])] : [Number(match[1]), Number(match[2])]
  if (month < 1 || month > 12) return value
  const date = new Date(Date.UTC(year, month - 1))
  return date.toLocaleDateString(localeOf(language), { month: 'long', year: 'numeric', timeZone: 'UTC' })
}

function secondsText(durationMs: number, language: Language): string {
  return formatQuantity(durationMs / 1000, 's', language)
}
