import { InvalidArgumentError } from 'commander'

/* Numbers at the command line: each reads a text. @throws InvalidArgumentError */

export function wholeNumber(least: number, most: number): (text: string) => number {
  return text => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`A whole number from ${least} to ${most} is needed.`)
    return value
  }
}

export function factor(text: string): number {
  const value = Number(text)
  if (!(value > 0 && value < Number.POSITIVE_INFINITY)) throw new InvalidArgumentError('A number above 0 is needed.')
  return value
}
