import { invalidRequest, tokenError } from './token-error.ts'
import { type TokenMessage, type TokenParameters, tokenParameters } from './token-parameters.ts'

/** The application id of the contract (fleet-api-v2.md, *Authentication*). */
export const CLIENT_ID = 'connectedCarApi'

const NAMES = ['grant_type', 'username', 'password', 'refresh_token', 'client_id', 'rotate_refresh_tokens'] as const

type Name = (typeof NAMES)[number]

/** What a client asks of the token endpoint. */
export type TokenRequest = (
  | { readonly grantType: 'password'; readonly email: string; readonly password: string }
  | { readonly grantType: 'refresh_token'; readonly refreshToken: string }
) & {
  /** The client asks that each refresh token of this login is used once (beyond the contract). */
  readonly rotates?: boolean | undefined
}

export interface TokenRequestMessage extends TokenMessage {
  /** The Authorization header. */
  readonly authorization: string | undefined
}

/**
 * Reads a token request (fleet-api-v2.md, *Authentication*).
 * @throws ClientError with the code of RFC 6749, 5.2.
 */
export function readTokenRequest(message: TokenRequestMessage): TokenRequest {
  const parameters = tokenParameters(NAMES, message)
  checkClient(parameters, message.authorization)
  const rotates = rotation(parameters)
  switch (parameters.grant_type) {
    case 'password':
      // Spaces around an e-mail address come from copying; those in a password may be intended.
      return {
        grantType: 'password',
        email: required(parameters, 'username').trim(),
        password: required(parameters, 'password'),
        rotates,
      }
    case 'refresh_token':
      return { grantType: 'refresh_token', refreshToken: required(parameters, 'refresh_token'), rotates }
    case undefined:
      throw invalidRequest('grant_type is missing; it must be password or refresh_token.')
    default:
      throw tokenError(400, 'unsupported_grant_type', 'grant_type must be password or refresh_token.')
  }
}

function required(parameters: TokenParameters<Name>, name: Name): string {
  const value = parameters[name]
  if (value === undefined) throw invalidRequest(`${name} is missing.`)
  return value
}

function rotation(parameters: TokenParameters<'rotate_refresh_tokens'>): boolean | undefined {
  const word = parameters.rotate_refresh_tokens?.toLowerCase()
  if (word !== undefined && word !== 'true' && word !== 'false')
    throw invalidRequest('rotate_refresh_tokens must be true or false.')
  return word === undefined ? undefined : word === 'true'
}

/** OAuth libraries may send the client in a Basic header instead; then RFC 6749, 5.2 requires 401 with a challenge. */
function checkClient(parameters: TokenParameters<'client_id'>, authorization: string | undefined): void {
  const message = `client_id must be ${CLIENT_ID}.`
  const credentials = /^Basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(authorization ?? '')?.[1]
  const [basicId] = credentials === undefined ? [''] : Buffer.from(credentials, 'base64').toString('utf8').split(':', 1)
  if (basicId && basicId !== CLIENT_ID)
    throw tokenError(401, 'invalid_client', message, { headers: { 'www-authenticate': 'Basic realm="Tacho"' } })
  if (parameters.client_id !== undefined && parameters.client_id !== CLIENT_ID)
    throw tokenError(400, 'invalid_client', message)
}
