import { ensureFirstUser } from '../../src/access/users.ts'
import { postedForm } from '../http-client.ts'
import type { ErrorBody } from './shapes.ts'
import { type Answer, expectAsDocumented, type World } from './world.ts'

/** The user that `startTokenClient` creates. */
export const EMAIL = 'Operator@example.com'
export const PASSWORD = 'correct horse, bättery & staple'
export const GRANT = { grant_type: 'password', username: EMAIL, password: PASSWORD, client_id: 'connectedCarApi' }

export interface Tokens {
  readonly expires_in: number
  readonly token_type: string
  readonly access_token: string
  readonly refresh_token: string
}

export interface TokenError extends ErrorBody {
  readonly error: string
  readonly error_description: string
}

/** Sends forms to the token endpoint. */
export interface TokenClient {
  post<T = Tokens>(fields: Record<string, string>): Promise<Answer<T>>
  refresh(token: string): Promise<Answer<Tokens>>
  /** The status of a data request with that token. */
  statusWith(token: string): Promise<number>
}

/** Also creates the user of `GRANT`. */
export async function startTokenClient(world: World): Promise<TokenClient> {
  await ensureFirstUser(world.service.database, { email: EMAIL, password: PASSWORD })
  const post = async <T = Tokens>(fields: Record<string, string>) => {
    const answer = await world.ask<T>('/auth/token', await postedForm(new URLSearchParams(fields)))
    await expectAsDocumented(answer, 'POST', '/auth/token')
    return answer
  }
  return {
    post,
    refresh: token => post({ grant_type: 'refresh_token', refresh_token: token, client_id: 'connectedCarApi' }),
    statusWith: async token =>
      (await world.ask('/cc/v2.0/devices', { headers: { authorization: `Bearer ${token}` } })).status,
  }
}
