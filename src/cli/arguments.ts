import { InvalidArgumentError } from 'commander'
import { LONGEST_NAME, readName } from '../model/texts.ts'

/** Reads the name of an account or a key. @throws InvalidArgumentError when it could not stand in a table. */
export function parseName(text: string): string {
  const name = readName(text)
  if (name === undefined) throw new InvalidArgumentError(`A name has 1 to ${LONGEST_NAME} characters on one line.`)
  return name
}

/** An argument or option that is read by a function which throws what is wrong with it, to be said after "It". */
export function parsedBy<T>(read: (text: string) => T): (text: string) => T {
  return text => {
    try {
      return read(text.trim())
    } catch (error) {
      throw new InvalidArgumentError(`It ${error instanceof Error ? error.message : String(error)}.`)
    }
  }
}
