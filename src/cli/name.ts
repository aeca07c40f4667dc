import { InvalidArgumentError } from 'commander'

const LONGEST_NAME = 100

/** Reads a name that stands in tables of the terminal. @throws InvalidArgumentError when it could not. */
export function parseName(text: string): string {
  const name = text.trim()
  if (name === '' || name.length > LONGEST_NAME || /\p{Cc}/u.test(name))
    throw new InvalidArgumentError(`A name has 1 to ${LONGEST_NAME} characters on one line.`)
  return name
}
