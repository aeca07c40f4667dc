import { passwordFault } from '../../access/passwords.ts'
import { badRequest, ClientError } from '../../model/errors.ts'

/** @param field what the password is called in the request. @throws ClientError 400 naming the field. */
export async function requireGoodPassword(password: string, email: string, field = 'password'): Promise<void> {
  const fault = await passwordFault(password, email)
  if (fault !== undefined) throw badRequest(`${field} ${fault}.`)
}

/** The client must retry later. We do not make it wait: an open connection costs us more than it costs an attacker. */
export function tooManyGuesses(waitS: number): ClientError {
  const retryAfterS = Math.ceil(waitS)
  return new ClientError(429, `Too many failed logins: try again in ${retryAfterS} s.`, {
    headers: { 'retry-after': String(retryAfterS) },
  })
}
