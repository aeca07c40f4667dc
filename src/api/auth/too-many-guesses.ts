import { ClientError } from '../../model/errors.ts'

/** Told to come back, not made to wait here: a connection that is held open costs us more than the attacker. */
export function tooManyGuesses(waitS: number): ClientError {
  const retryAfterS = Math.ceil(waitS)
  return new ClientError(429, `Too many failed logins: try again in ${retryAfterS} s.`, {
    headers: { 'retry-after': String(retryAfterS) },
  })
}
