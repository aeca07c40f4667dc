import { createAtom, useSelector } from '@tanstack/react-store'
import { useEffect, useState } from 'react'
import { english, type Translation } from '../translations/en.ts'

/** The tag of a language, such as `de`: the name of its file in `translations/`, or `en`. */
export type Language = string

/** Its texts are there until others have been loaded. */
const OWN = 'en'

const FILES = import.meta.glob<Translation>(['../translations/*.ts', '!../translations/en.ts'], { import: 'default' })

/** The languages that people can choose. A file more in `translations/` is a language more. */
export const LANGUAGES: readonly Language[] = [OWN, ...Object.keys(FILES).map(path => tagOf(path))]

const STORED_AS = 'tacho.language'

const loaded = new Map<Language, Translation>()

/** The language of the person, also sent as `Accept-Language`, so that data comes in it. */
export const spoken = createAtom<Language>(OWN)

export function languageHere(): Language {
  return spoken.get()
}

/** Shows the language that was chosen before, or that the browser prefers; English where there is none of those. */
export async function startLanguage(): Promise<void> {
  const wanted = [profile.get().language, localStorage.getItem(STORED_AS), ...navigator.languages]
  const known = wanted.map(tag => LANGUAGES.find(candidate => tag?.toLowerCase().startsWith(candidate)))
  const chosen = known.find(candidate => candidate !== undefined) ?? OWN
  // Better in English than not at all.
  await loadLanguage(chosen).then(
    () => speak(chosen),
    () => undefined,
  )
}

/** @throws when its texts cannot be loaded; then all stays as it is */
export async function setLanguage(chosen: Language): Promise<void> {
  await loadLanguage(chosen)
  speak(chosen)
  // The login page has no profile yet.
  localStorage.setItem(STORED_AS, chosen)
  changeProfile({ language: chosen })
}

/** Loads the texts of a language, so that `textsIn` finds them. */
export async function loadLanguage(tag: Language): Promise<void> {
  const load = Object.entries(FILES).find(([path]) => tagOf(path) === tag)?.[1]
  if (load && !loaded.has(tag)) loaded.set(tag, await load())
}

/** Shows a language that has been loaded. */
export function speak(chosen: Language): void {
  spoken.set(chosen)
}

export function useLanguage(): Language {
  return useSelector(spoken)
}

/** The texts of one place, in any language. */
export type Texts<Place extends keyof Translation> = Translation[Place]

/** The texts in a language that has been loaded, else in English. */
export function textsIn<Place extends keyof Translation>(place: Place, wanted = languageHere()): Texts<Place> {
  return (loaded.get(wanted) ?? english)[place]
}

export function useTexts<Place extends keyof Translation>(place: Place): Texts<Place> {
  return textsIn(place, useLanguage())
}

/** British English for its 24 hours and its order of day and month, which fleets outside North America expect. */
export function localeOf(wanted = languageHere()): string {
  return wanted === OWN ? 'en-GB' : wanted
}

/** The name of a language in itself. */
export function languageName(tag: Language): string {
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1)
}

function tagOf(path: string): Language {
  return path.slice(path.lastIndexOf('/') + 1, -'.ts'.length)
}

/** Compares names as the language that is shown orders them, digits by value: B-TX 9 comes before B-TX 10. */
export function compareTexts(a: string, b: string): number {
  return once(`c${languageHere()}`, () => new Intl.Collator(localeOf(), { numeric: true })).compare(a, b)
}

/**
 * A browser may name a locale that is no language tag (`en-US@posix` where LANG is C), and libraries that make a formatter of it
 * fail as soon as they are loaded, such as the one of the charts. For this page such a browser prefers English.
 */
export function ensureValidLocale(): void {
  try {
    Intl.getCanonicalLocales(navigator.language)
  } catch {
    Object.defineProperty(navigator, 'language', { value: localeOf('en'), configurable: true })
  }
}

/** The pages with which the console can begin. */
export const START_PAGES = ['today', 'map', 'trips', 'incidents'] as const

/** How a person reads the console. It stays in this browser, for each login. */
interface Profile {
  /** The one of the browser when absent. */
  readonly language?: Language | undefined
  /** An IANA name; the time zone of the browser when absent. */
  readonly timeZone?: string | undefined
  readonly distance: 'km' | 'mi'
  readonly temperature: '°C' | '°F'
  readonly startPage: (typeof START_PAGES)[number]
  /** Whether single keys lead to pages; who speaks to the computer may not want that (WCAG 2.2, 2.1.4). */
  readonly hasShortcuts: boolean
}

const DEFAULT: Profile = { distance: 'km', temperature: '°C', startPage: 'today', hasShortcuts: true }

let storedAs: string | undefined
export const profile = createAtom(DEFAULT)

/** Takes up the profile of a user; without one everything is as usual. */
export function openProfile(userName: string | undefined): void {
  storedAs = userName === undefined ? undefined : `tacho.profile.${userName.toLowerCase()}`
  profile.set({ ...DEFAULT, ...readProfile() })
}

/** Changes the profile of the user who is logged in, and keeps it. */
export function changeProfile(changed: Partial<Profile>): void {
  profile.set({ ...profile.get(), ...changed })
  if (storedAs !== undefined) localStorage.setItem(storedAs, JSON.stringify(profile.get()))
}

/** The time zone of the person, as an IANA name. */
export function timeZoneHere(): string {
  return profile.get().timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone
}

function readProfile(): Partial<Profile> {
  if (storedAs === undefined) return {}
  try {
    const stored = JSON.parse(localStorage.getItem(storedAs) ?? '{}') as Partial<Profile>
    // Throws where the browser does not know the zone: no time could be shown.
    Intl.DateTimeFormat('en', { timeZone: stored.timeZone })
    return stored
  } catch {
    return {}
  }
}

const cached = new Map<string, unknown>()
profile.subscribe(() => cached.clear())

/** Formatters are expensive to make and cheap to use. */
function once<T>(key: string, make: () => T): T {
  const known = cached.get(key) as T | undefined
  if (known !== undefined) return known
  const made = make()
  cached.set(key, made)
  return made
}

function numberFormat(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return once(`n${languageHere()}${JSON.stringify(options)}`, () => new Intl.NumberFormat(localeOf(), options))
}

/** @param digits how many digits at most follow the decimal point */
export function formatNumber(value: number, digits = 1): string {
  return numberFormat({ maximumFractionDigits: digits }).format(value)
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
  const inMiles = profile.get().distance === 'mi' ? MILES[unit] : undefined
  if (inMiles !== undefined) return { unit: inMiles, convert: toMiles }
  if (unit === '°C' && profile.get().temperature === '°F') return { unit: '°F', convert: toFahrenheit }
  return { unit, convert: unchanged }
}

/** A number in the person's unit; a percent sign is placed as usual in the language. @param given as the API names it */
export function formatQuantity(measured: number, given: string, digits = 1): string {
  const { unit, convert } = shownUnit(given)
  const value = convert(measured)
  if (unit === '%') return numberFormat({ style: 'percent', maximumFractionDigits: digits }).format(value / 100)
  return formatNumber(value, digits) + (unit === '' || unit === '°' ? unit : `\u00a0${unit}`)
}

/** How much something changed, `+12%` or `−3%`. @param share of what it was before: 0.5 is half as much again */
export function formatChange(share: number): string {
  return numberFormat({ style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' }).format(share)
}

export function formatDistance(km: number): string {
  return formatQuantity(km, 'km', km < 100 ? 1 : 0)
}

/** `1 h 05 min`, below an hour `5 min`, below a minute `42 s`; both languages write units alike. */
export function formatDuration(durationS: number): string {
  const seconds = Math.round(durationS)
  if (seconds < 60) return `${seconds}\u00a0s`
  const minutes = Math.round(durationS / 60)
  if (minutes < 60) return `${minutes}\u00a0min`
  return `${formatNumber(Math.floor(minutes / 60))}\u00a0h\u00a0${String(minutes % 60).padStart(2, '0')}\u00a0min`
}

const BYTE_UNITS = [
  ['TB', 1e12],
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
] as const

/** `81.2 GB`, in decimal units, as disks are sold. */
export function formatBytes(bytes: number): string {
  const [unit, size] = BYTE_UNITS.find(([, least]) => bytes >= least) ?? ['B', 1]
  return formatQuantity(bytes / size, unit, unit === 'B' ? 0 : 1)
}

/** Formats in the time zone of the person. */
export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const { timeZone } = profile.get()
  return once(
    `d${languageHere()}${JSON.stringify(options)}`,
    () => new Intl.DateTimeFormat(localeOf(), { ...options, ...(timeZone !== undefined && { timeZone }) }),
  )
}

export function formatDateTime(timeMs: number): string {
  return dateFormat({ dateStyle: 'medium', timeStyle: 'short' }).format(timeMs)
}

export function formatDate(timeMs: number): string {
  return dateFormat({ dateStyle: 'medium' }).format(timeMs)
}

/** A day with its name, `Mon, 23 Nov 2026`. */
export function formatDay(timeMs: number): string {
  return dateFormat({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }).format(timeMs)
}

export function formatTime(timeMs: number): string {
  return dateFormat({ timeStyle: 'medium' }).format(timeMs)
}

/** The time of day without its seconds. */
export function formatClock(timeMs: number): string {
  return dateFormat({ timeStyle: 'short' }).format(timeMs)
}

const AGE_UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** `3 minutes ago`; what lies in the future by a slightly wrong clock counts as now. */
export function formatAge(timeMs: number, nowMs: number): string {
  const ageMs = Math.max(0, nowMs - timeMs)
  const [unit, lengthMs] = AGE_UNITS.find(([, length]) => ageMs >= length) ?? ['second', 1000]
  const format = once(
    `a${languageHere()}`,
    () => new Intl.RelativeTimeFormat(localeOf(), { numeric: 'auto', style: 'short' }),
  )
  return format.format(-Math.floor(ageMs / lengthMs), unit)
}

/** The time of this machine, again every `everyMs`: for texts such as `3 minutes ago`. */
export function useNow(everyMs = 10_000): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return nowMs
}
