import { randomInt } from 'node:crypto'
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

/** The argon2id hash of a password, in PHC form. */
export async function hashPassword(password: string): Promise<string> {
  const { hash } = await argon2()
  return hash(normalized(password), PARAMETERS)
}

/** Whether the password is right; without a user it takes as long and is never right. */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  const { verify } = await argon2()
  const isRight = await verify(passwordHash ?? DUMMY_HASH, normalized(password))
  return isRight && passwordHash !== undefined
}

/** The same letters may have different code points on two systems (NIST SP 800-63B, 3.1.1.2). */
function normalized(password: string): string {
  return password.normalize('NFKC')
}

/** No characters that are easily confused. */
const SIGNS = 'abcdefghijkmnpqrstuvwxyz23456789'
const GROUPS = 4
const GROUP_LENGTH = 5

/** A random password of 100 bits that can be read aloud, such as `k3vzu-8qhwm-tr5xa-9cdpe`. */
export function generatePassword(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, () => SIGNS[randomInt(SIGNS.length)]).join('')
  return Array.from({ length: GROUPS }, group).join('-')
}
