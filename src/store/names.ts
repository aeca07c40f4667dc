export const LONGEST_NAME = 100

/** The name of an account or a key, as it can stand in a row of a table; undefined when it can not. */
export function readName(text: string): string | undefined {
  const name = text.trim()
  return name === '' || name.length > LONGEST_NAME || /\p{Cc}/u.test(name) ? undefined : name
}
