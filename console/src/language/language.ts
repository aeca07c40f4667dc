import { useSyncExternalStore } from 'react'

/** The languages in which the service has texts (fleet-api-v2.md, *General conventions*, 6). */
export const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

const STORED_AS = 'tacho.language'

const listeners = new Set<() => void>()
let current: Language | undefined

/** The language of the person, also sent as `Accept-Language`, so that data comes in it. */
export function language(): Language {
  // Not before somebody asks, as texts are read without a browser, too.
  current ??= firstLanguage()
  return current
}

export function setLanguage(chosen: Language): void {
  current = chosen
  localStorage.setItem(STORED_AS, chosen)
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

/** Texts of one place, in each language; German must say whatever English says. */
export type Texts<T> = Readonly<Record<Language, T>>

export function defineTexts<T>(english: T, german: NoInfer<T>): Texts<T> {
  return { en: english, de: german }
}

export function useTexts<T>(texts: Texts<T>): T {
  return texts[useLanguage()]
}

function firstLanguage(): Language {
  const wanted = [localStorage.getItem(STORED_AS), ...navigator.languages]
  const known = wanted.map(tag => LANGUAGES.find(candidate => tag?.toLowerCase().startsWith(candidate)))
  const chosen = known.find(candidate => candidate !== undefined) ?? 'en'
  document.documentElement.lang = chosen
  return chosen
}
