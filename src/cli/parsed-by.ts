import { InvalidArgumentError } from 'commander'

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
