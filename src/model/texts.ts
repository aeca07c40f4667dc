export const LONGEST_NAME = 100

/**
 * The name of an account or a key, as it can stand in a row of a table; undefined when it can not: because it has several
 * lines, half a character (PostgreSQL would keep another), or nothing that can be seen.
 */
export function readName(text: string): string | undefined {
  const name = text.trim()
  const isVisible = /[^\p{C}\p{Z}]/u.test(name)
  return !isVisible || name.length > LONGEST_NAME || /[\p{Cc}\p{Cs}]/u.test(name) ? undefined : name
}

/** The longest text that senders may send. */
export const MAX_TEXT_CHARACTERS = 4000

/** Whether PostgreSQL can hold it: no NUL, no half of a surrogate pair, and not too long. */
export function isStorableText(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length <= MAX_TEXT_CHARACTERS && !value.includes('\0') && value.isWellFormed()
  )
}
