export const LONGEST_NAME = 100

/** A trimmed name; undefined when it has several lines, a lone surrogate (PostgreSQL would store another character), or
 * nothing visible. */
export function readName(text: string): string | undefined {
  const name = text.trim()
  const isVisible = /[^\p{C}\p{Z}]/u.test(name)
  return !isVisible || name.length > LONGEST_NAME || /[\p{Cc}\p{Cs}]/u.test(name) ? undefined : name
}

/** The longest text value that is accepted. */
export const MAX_TEXT_CHARACTERS = 4000

/** PostgreSQL can store it: no NUL, no lone surrogate, and not too long. */
export function isStorableText(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length <= MAX_TEXT_CHARACTERS && !value.includes('\0') && value.isWellFormed()
  )
}

/** A zone of the IANA database. Abbreviations such as CST are none, because they are ambiguous. */
export function isTimeZone(name: string): boolean {
  if (!/^(UTC|GMT|(?!SystemV)[a-z_]+(\/[a-z0-9_+-]+)+)$/i.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
