import { type Language, language, localeOf } from './language.ts'

const collators = new Map<Language, Intl.Collator>()

/** Compares names as the language that is shown orders them, digits by value: B-TX 9 comes before B-TX 10. */
export function compareTexts(a: string, b: string, shown: Language = language()): number {
  const collator = collators.get(shown) ?? new Intl.Collator(localeOf(shown), { numeric: true })
  collators.set(shown, collator)
  return collator.compare(a, b)
}
