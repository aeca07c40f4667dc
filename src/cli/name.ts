import { InvalidArgumentError } from 'commander'
import { LONGEST_NAME, readName } from '../model/names.ts'

/** Reads the name of an account or a key. @throws InvalidArgumentError when it could not stand in a table. */
export function parseName(text: string): string {
  const name = readName(text)
  if (name === undefined) throw new InvalidArgumentError(`A name has 1 to ${LONGEST_NAME} characters on one line.`)
  return name
}
