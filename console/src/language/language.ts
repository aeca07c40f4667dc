import { useSyncExternalStore } from 'react'
import { english, type Translation } from '../translations/en.ts'
import { changeProfile, profile } from './profile.ts'

/** The tag of a language, such as `de`: the name of its file in `translations/`, or `en`. */
export type Language = string

/** Its texts are there until others have been loaded. */
const OWN = 'en'

const FILES = import.meta.glob<Translation>(['../translations/*.ts', '!../translations/en.ts'], { import: 'default' })

/** The languages that people can choose. A file more in `translations/` is a language more. */
export const LANGUAGES: readonly Language[] = [OWN, ...Object.keys(FILES).map(path => tagOf(path))]

const STORED_AS = 'tacho.language'

const listeners = new Set<() => void>()
const loaded = new Map<Language, Translation>()
let current = OWN

/** The language of the person, also sent as `Accept-Language`, so that data comes in it. */
export function language(): Language {
  return current
}

/** Shows the language that was chosen before, or that the browser prefers; English where there is none of those. */
export async function startLanguage(): Promise<void> {
  const wanted = [profile().language, localStorage.getItem(STORED_AS), ...navigator.languages]
  const known = wanted.map(tag => LANGUAGES.find(candidate => tag?.toLowerCase().startsWith(candidate)))
  // Better in English than not at all.
  await show(known.find(candidate => candidate !== undefined) ?? OWN).catch(() => undefined)
}

/** @throws when its texts cannot be loaded; then all stays as it is */
export async function setLanguage(chosen: Language): Promise<void> {
  await show(chosen)
  // The login page has no profile yet.
  localStorage.setItem(STORED_AS, chosen)
  changeProfile({ language: chosen })
}

/** Loads the texts of a language, so that `textsIn` finds them. */
export async function loadLanguage(tag: Language): Promise<void> {
  const load = Object.entries(FILES).find(([path]) => tagOf(path) === tag)?.[1]
  if (load && !loaded.has(tag)) loaded.set(tag, await load())
}

async function show(chosen: Language): Promise<void> {
  await loadLanguage(chosen)
  current = chosen
  document.documentElement.lang = chosen
  for (const listener of listeners) listener()
}

export function onLanguage(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useLanguage(): Language {
  return useSyncExternalStore(onLanguage, language)
}

/** The texts of one place, in any language. */
export type Texts<Place extends keyof Translation> = Translation[Place]

/** The texts in a language that has been loaded, else in English. */
export function textsIn<Place extends keyof Translation>(place: Place, wanted: Language): Texts<Place> {
  return (loaded.get(wanted) ?? english)[place]
}

export function useTexts<Place extends keyof Translation>(place: Place): Texts<Place> {
  return textsIn(place, useLanguage())
}

/** British English for its 24 hours and its order of day and month, which fleets outside North America expect. */
export function localeOf(wanted: Language): string {
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

const collators = new Map<Language, Intl.Collator>()

/** Compares names as the language that is shown orders them, digits by value: B-TX 9 comes before B-TX 10. */
export function compareTexts(a: string, b: string, shown: Language = language()): number {
  const collator = collators.get(shown) ?? new Intl.Collator(localeOf(shown), { numeric: true })
  collators.set(shown, collator)
  return collator.compare(a, b)
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
