/** The library calls passwords from this score on safe. At a hundred guesses an hour (`hourly-guesses.ts`) they last a century. */
const LEAST_GUESSES = 1e8

/** How many characters of a password are rated: the time grows faster than the length, and more characters only help. */
const JUDGED_LENGTH = 24

/** NIST SP 800-63B, 3.1.1.2, requires 8, and 15 as the only factor; ASVS requires 12. */
export const SHORTEST_PASSWORD = 12

/**
 * Why a password is rejected: a sentence without a subject, such as `must have at least 12 characters`; undefined
 * for a good one. Common passwords, keyboard patterns, repetitions, and variants of the e-mail address are rejected
 * at any length. The first call loads word lists of some megabytes.
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
  // With more of them, a password made only of letter substitutes takes a tenth of a second.
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, l33tMaxSubstitutions: 10 })
}
