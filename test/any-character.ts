import fc from 'fast-check'

const SURROGATES = { from: 0xd800, count: 0x800 }
const CHARACTERS = 0x110000 - SURROGATES.count

/**
 * Any character, as the unit of `fc.string`, and the same ones as its own unit 'binary' gives. To look for texts that break
 * programs, that one makes a table of all million characters first, in each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: CHARACTERS - 1 })
  .map(place => String.fromCodePoint(place < SURROGATES.from ? place : place + SURROGATES.count), placeOf)

function placeOf(character: unknown): number {
  const code = typeof character === 'string' ? character.codePointAt(0) : undefined
  if (code === undefined || String.fromCodePoint(code) !== character || !character.isWellFormed())
    throw new Error('this is not one character')
  return code < SURROGATES.from ? code : code - SURROGATES.count
}
