import { randomInt } from 'node:crypto'
import { type Algorithm, hash, type Options, verify } from '@node-rs/argon2'

/** OWASP Password Storage Cheat Sheet, argon2id: 19 MiB, two passes, one thread. */
const PARAMETERS: Options = {
  // The enumeration of the package exists in its types only.
  algorithm: 2 satisfies Algorithm.Argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
}

/** Of a password that nobody knows, with the same parameters: what an unknown user is checked against. */
export const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$in2Wmne5WaJcZ2TW9plHtA$GE25sX5JFhobP4+OlZFjIX6Ys1OIyHTEUZjPil3jtJE'

/** The argon2id hash of a password, in PHC form. */
export function hashPassword(password: string): Promise<string> {
  return hash(normalized(password), PARAMETERS)
}

/** Whether the password is right; without a user it takes just as long and is never right. */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  const isRight = await verify(passwordHash ?? DUMMY_HASH, normalized(password))
  return isRight && passwordHash !== undefined
}

/** The same letters typed on two systems may differ in code points (NIST SP 800-63B, 3.1.1.2). */
function normalized(password: string): string {
  return password.normalize('NFKC')
}

/** No signs that are easily taken for one another. */
const SIGNS = 'abcdefghijkmnpqrstuvwxyz23456789'
const GROUPS = 4
const GROUP_LENGTH = 5

/** A random password of 100 bits that can be read aloud, such as `k3vzu-8qhwm-tr5xa-9cdpe`. */
export function generatePassword(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, () => SIGNS[randomInt(SIGNS.length)]).join('')
  return Array.from({ length: GROUPS }, group).join('-')
}
