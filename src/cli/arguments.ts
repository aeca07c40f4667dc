import { InvalidArgumentError } from 'commander'
import { LONGEST_NAME, readName } from '../model/texts.ts'

/** Reads the name of an account or a key. @throws InvalidArgumentError when it is not a valid name. */
export function parseName(text: string): string {
  const name = readName(text)
  if (name === undefined) throw new InvalidArgumentError(`A name has 1 to ${LONGEST_NAME} characters on one line.`)
  return name
}

/** Makes an argument parser from a function that throws what is wrong, worded to follow "It". */
export function parsedBy<T>(read: (text: string) => T): (text: string) => T {
  return text => {
    try {
      return read(text.trim())
    } catch (error) {
      throw new InvalidArgumentError(`It ${error instanceof Error ? error.message : String(error)}.`)
    }
  }
}
