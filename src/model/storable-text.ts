/** The longest text that senders may send. */
export const MAX_TEXT_CHARACTERS = 4000

/** Whether PostgreSQL can hold it: no NUL, no half of a surrogate pair, and not too long. */
export function isStorableText(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length <= MAX_TEXT_CHARACTERS && !value.includes('\0') && value.isWellFormed()
  )
}
