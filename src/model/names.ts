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
