import { hash, randomBytes, randomInt } from 'node:crypto'
import type { Algorithm, Options } from '@node-rs/argon2'

/** OWASP Password Storage Cheat Sheet, argon2id: 19 MiB, two passes, one thread. */
const PARAMETERS: Options = {
  // The package declares the enum only in its types.
  algorithm: 2 satisfies Algorithm.Argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
}

/** The hash of a random password, with the same parameters: unknown users are checked against it. */
const DUMMY_HASH = '$argon2id$v=19$m=19456,t=2,p=1$in2Wmne5WaJcZ2TW9plHtA$GE25sX5JFhobP4+OlZFjIX6Ys1OIyHTEUZjPil3jtJE'

/** Loaded by the first password: most processes never see one, and each start would take longer. */
const argon2 = () => import('@node-rs/argon2')

export async function hashPassword(password: string): Promise<string> {
  const { hash: hashOf } = await argon2()
  return hashOf(normalized(password), PARAMETERS)
}

/** Checks a password; without a user it takes as long and is never right. */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  const { verify } = await argon2()
  const isRight = await verify(passwordHash ?? DUMMY_HASH, normalized(password))
  return isRight && passwordHash !== undefined
}

/** The same letters may have different code points on two systems (NIST SP 800-63B, 3.1.1.2). */
function normalized(password: string): string {
  return password.normalize('NFKC')
}

const SIGNS = 'abcdefghijkmnpqrstuvwxyz23456789'
const GROUPS = 4
const GROUP_LENGTH = 5

/** A random password of 100 bits that can be read aloud, such as `k3vzu-8qhwm-tr5xa-9cdpe`. */
export function generatePassword(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, () => SIGNS[randomInt(SIGNS.length)]).join('')
  return Array.from({ length: GROUPS }, group).join('-')
}

/** The library calls passwords from this score on safe. At a hundred guesses an hour (`hourly-guesses.ts`) they last a century. */
const LEAST_GUESSES = 1e8

/** How many characters of a password are rated: the time grows faster than the length, and more characters only help. */
const JUDGED_LENGTH = 24

/** NIST SP 800-63B, 3.1.1.2, requires 8, and 15 as the only factor; ASVS requires 12. */
export const SHORTEST_PASSWORD = 12

/** @returns a sentence without a subject, such as `must have at least 12 characters`; undefined for a good password.
 * The first call loads word lists of some megabytes. */
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

const SECRET_BYTES = 32

/** A new key or token: 256 random bits. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

/** The form in which keys and tokens are stored and looked up. */
export function secretHash(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
