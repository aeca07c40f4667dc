import type { Language } from './language.ts'

/** The pages with which the console can begin. */
export const START_PAGES = ['today', 'map', 'trips', 'incidents'] as const

/** How a person reads the console. It stays in this browser, for each login. */
export interface Profile {
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

const listeners = new Set<() => void>()
let storedAs: string | undefined
let current = DEFAULT

export function profile(): Profile {
  return current
}

export function onProfile(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Takes up the profile of a user; without one everything is as usual. */
export function openProfile(userName: string | undefined): void {
  storedAs = userName === undefined ? undefined : `tacho.profile.${userName.toLowerCase()}`
  set({ ...DEFAULT, ...read() })
}

/** Changes the profile of the user who is logged in, and keeps it. */
export function changeProfile(changed: Partial<Profile>): void {
  set({ ...current, ...changed })
  if (storedAs !== undefined) localStorage.setItem(storedAs, JSON.stringify(current))
}

/** The time zone of the person, as an IANA name. */
export function timeZoneHere(): string {
  return current.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone
}

function set(changed: Profile): void {
  current = changed
  for (const listener of listeners) listener()
}

function read(): Partial<Profile> {
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
