import { useSyncExternalStore } from 'react'
import type { Translation } from './translation.ts'

/** The tag of a language, such as `de`: the name of its file in `translations/`, or `en`. */
export type Language = string

/** The language of the texts in the code, which a page has until another one has been loaded. */
const OWN = 'en'

const FILES = import.meta.glob<Translation>('../translations/*.ts', { import: 'default' })

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
  const wanted = [localStorage.getItem(STORED_AS), ...navigator.languages]
  const known = wanted.map(tag => LANGUAGES.find(candidate => tag?.toLowerCase().startsWith(candidate)))
  // Better in English than not at all.
  await show(known.find(candidate => candidate !== undefined) ?? OWN).catch(() => undefined)
}

/** @throws when its texts cannot be loaded; then all stays as it is */
export async function setLanguage(chosen: Language): Promise<void> {
  await show(chosen)
  localStorage.setItem(STORED_AS, chosen)
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

/** Texts of one place in English, and where a translation has its own. */
export interface Texts<T> {
  readonly place: keyof Translation
  readonly en: T
}

/** @param place what a translation calls them, so that its type finds what is missing */
export function defineTexts<T>(place: keyof Translation, en: T): Texts<T> {
  return { place, en }
}

/** The texts in a language that has been loaded, else in English. */
export function textsIn<T>({ place, en }: Texts<T>, wanted: Language): T {
  // A translation has the texts of every place in the form that they have in English, or it does not compile.
  return (loaded.get(wanted)?.[place] as T | undefined) ?? en
}

export function useTexts<T>(texts: Texts<T>): T {
  return textsIn(texts, useLanguage())
}

/** British English for its 24 hours and its order of day and month, which fleets outside North America expect. */
export function localeOf(wanted: Language): string {
  return wanted === OWN ? 'en-GB' : wanted
}

function tagOf(path: string): Language {
  return path.slice(path.lastIndexOf('/') + 1, -'.ts'.length)
}
