import { type Language, localeOf } from './language.ts'
import { onProfile, profile } from './profile.ts'

const cached = new Map<string, unknown>()
onProfile(() => cached.clear())

/** Formatters are expensive to make and cheap to use. */
function once<T>(key: string, make: () => T): T {
  const known = cached.get(key) as T | undefined
  if (known !== undefined) return known
  const made = make()
  cached.set(key, made)
  return made
}

/** @param digits how many digits at most follow the decimal point */
export function formatNumber(value: number, language: Language, digits = 1): string {
  return once(
    `n${digits}${language}`,
    () => new Intl.NumberFormat(localeOf(language), { maximumFractionDigits: digits }),
  ).format(value)
}

/** The unit in which the person reads what the API gives in another one, and the way to it. */
interface ShownUnit {
  readonly unit: string
  readonly convert: (value: number) => number
}

const MILES: Readonly<Record<string, string>> = { km: 'mi', 'km/h': 'mph' }
const toMiles = (km: number) => km / 1.609344
const toFahrenheit = (celsius: number) => celsius * 1.8 + 32
const unchanged = (value: number) => value

/** @param unit as the API names it */
export function shownUnit(unit: string): ShownUnit {
  const inMiles = profile().distance === 'mi' ? MILES[unit] : undefined
  if (inMiles !== undefined) return { unit: inMiles, convert: toMiles }
  if (unit === '°C' && profile().temperature === '°F') return { unit: '°F', convert: toFahrenheit }
  return { unit, convert: unchanged }
}

/** A number in the person's unit; a percent sign is placed as usual in the language. @param given as the API names it */
export function formatQuantity(measured: number, given: string, language: Language, digits = 1): string {
  const { unit, convert } = shownUnit(given)
  const value = convert(measured)
  if (unit === '%')
    return once(
      `p${digits}${language}`,
      () => new Intl.NumberFormat(localeOf(language), { style: 'percent', maximumFractionDigits: digits }),
    ).format(value / 100)
  const number = formatNumber(value, language, digits)
  if (unit === '') return number
  if (unit === '°') return `${number}${unit}`
  return `${number}\u00a0${unit}`
}

/** How much something changed, `+12%` or `−3%`. @param share of what it was before: 0.5 is half as much again */
export function formatChange(share: number, language: Language): string {
  return once(
    `x${language}`,
    () =>
      new Intl.NumberFormat(localeOf(language), {
        style: 'percent',
        maximumFractionDigits: 0,
        signDisplay: 'exceptZero',
      }),
  ).format(share)
}

export function formatDistance(km: number, language: Language): string {
  return formatQuantity(km, 'km', language, km < 100 ? 1 : 0)
}

/** `1 h 05 min`, below an hour `5 min`, below a minute `42 s`; both languages write units alike. */
export function formatDuration(durationS: number): string {
  const seconds = Math.round(durationS)
  if (seconds < 60) return `${seconds}\u00a0s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes}\u00a0min`
  return `${Math.floor(minutes / 60)}\u00a0h\u00a0${String(minutes % 60).padStart(2, '0')}\u00a0min`
}

const BYTE_UNITS = [
  ['TB', 1e12],
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
] as const

/** `81.2 GB`, in decimal units, as disks are sold. */
export function formatBytes(bytes: number, language: Language): string {
  const [unit, size] = BYTE_UNITS.find(([, least]) => bytes >= least) ?? ['B', 1]
  return formatQuantity(bytes / size, unit, language, unit === 'B' ? 0 : 1)
}

/** Formats in the time zone of the person. */
export function dateFormat(language: Language, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const { timeZone } = profile()
  return once(
    `d${language}${JSON.stringify(options)}`,
    () => new Intl.DateTimeFormat(localeOf(language), { ...options, ...(timeZone !== undefined && { timeZone }) }),
  )
}

export function formatDateTime(timeMs: number, language: Language): string {
  return dateFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(timeMs)
}

export function formatDate(timeMs: number, language: Language): string {
  return dateFormat(language, { dateStyle: 'medium' }).format(timeMs)
}

/** A day with its name, `Mon, 23 Nov 2026`. */
export function formatDay(timeMs: number, language: Language): string {
  return dateFormat(language, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }).format(timeMs)
}

export function formatTime(timeMs: number, language: Language): string {
  return dateFormat(language, { timeStyle: 'medium' }).format(timeMs)
}

/** The time of day without its seconds. */
export function formatClock(timeMs: number, language: Language): string {
  return dateFormat(language, { timeStyle: 'short' }).format(timeMs)
}

const AGE_UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** `3 minutes ago`; what lies in the future by a slightly wrong clock counts as now. */
export function formatAge(timeMs: number, nowMs: number, language: Language): string {
  const ageMs = Math.max(0, nowMs - timeMs)
  const [unit, lengthMs] = AGE_UNITS.find(([, length]) => ageMs >= length) ?? ['second', 1000]
  const format = once(
    `a${language}`,
    () => new Intl.RelativeTimeFormat(localeOf(language), { numeric: 'auto', style: 'short' }),
  )
  return format.format(-Math.floor(ageMs / lengthMs), unit)
}
