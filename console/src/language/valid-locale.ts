import { localeOf } from './language.ts'

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
