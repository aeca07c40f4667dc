import { passwordFault } from '../../access/password-fault.ts'
import { badRequest } from '../../model/errors.ts'

/** @param field what the password is called in the request. @throws ClientError 400 naming the field. */
export async function requireGoodPassword(password: string, email: string, field = 'password'): Promise<void> {
  const fault = await passwordFault(password, email)
  if (fault !== undefined) throw badRequest(`${field} ${fault}.`)
}
