import { type Language, localeOf } from './language.ts'

const cached = new Map<string, unknown>()

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

/** A number with its unit as the API names it; a percent sign is placed as usual in the language. */
export function formatQuantity(value: number, unit: string, language: Language, digits = 1): string {
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

export function formatDateTime(timeMs: number, language: Language): string {
  return once(
    `dt${language}`,
    () => new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium', timeStyle: 'short' }),
  ).format(timeMs)
}

export function formatDate(timeMs: number, language: Language): string {
  return once(`d${language}`, () => new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium' })).format(timeMs)
}

/** A day with its name, `Mon, 23 Nov 2026`. */
export function formatDay(timeMs: number, language: Language): string {
  return once(
    `w${language}`,
    () =>
      new Intl.DateTimeFormat(localeOf(language), {
        weekday: 'short',
        day: 'numeric',
        month: 'short',
        year: 'numeric',
      }),
  ).format(timeMs)
}

export function formatTime(timeMs: number, language: Language): string {
  return once(`t${language}`, () => new Intl.DateTimeFormat(localeOf(language), { timeStyle: 'medium' })).format(timeMs)
}

/** The time of day without its seconds. */
export function formatClock(timeMs: number, language: Language): string {
  return once(`c${language}`, () => new Intl.DateTimeFormat(localeOf(language), { timeStyle: 'short' })).format(timeMs)
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
