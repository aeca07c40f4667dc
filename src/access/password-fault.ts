/** From here on the library calls a password safe. At a hundred guesses an hour (`hourly-guesses.ts`) it takes a century. */
const LEAST_GUESSES = 1e8

/** What is judged of a password, in characters: judging takes longer than in proportion, and the rest only adds to it. */
const JUDGED_LENGTH = 24

/** NIST SP 800-63B, 3.1.1.2, asks for 8, and for 15 where it is all there is; ASVS for 12. */
export const SHORTEST_PASSWORD = 12

/**
 * Why a password must not be taken: a sentence without a subject, such as `must have at least 12 characters`; undefined
 * for a good one. Common ones, patterns of the keyboard, repetitions, and what resembles the e-mail address are no good
 * at any length. The first call loads lists of some megabytes.
 */
export async function passwordFault(password: string, email: string): Promise<string | undefined> {
  const characters = Array.from(password.normalize('NFKC'))
  if (characters.length < SHORTEST_PASSWORD) return `must have at least ${SHORTEST_PASSWORD} characters`
  if (password.toLowerCase().includes(email.toLowerCase())) return 'must not contain the e-mail address'
  judge ??= loadJudge()
  const { guesses } = (await judge).check(characters.slice(0, JUDGED_LENGTH).join(''), [
    email,
    email.split('@', 1)[0] ?? '',
    ...email.split(/[@.\-_+]/).filter(part => part.length > 2),
    'tacho',
  ])
  return guesses < LEAST_GUESSES ? 'is too easy to guess: it is common, or made by a common pattern' : undefined
}

let judge: ReturnType<typeof loadJudge> | undefined

async function loadJudge() {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  // With more of them, a password of nothing but signs that stand for letters takes a tenth of a second.
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, l33tMaxSubstitutions: 10 })
}
