import { multipartFields } from './multipart-fields.ts'
import { invalidRequest, tokenError } from './token-error.ts'

const NAMES = ['grant_type', 'username', 'password', 'refresh_token', 'client_id'] as const

export type TokenParameter = (typeof NAMES)[number]

export type TokenParameters = Readonly<Partial<Record<TokenParameter, string>>>

/** Where the parameters of a token request may stand. */
export interface TokenMessage {
  /** Path and query as they came. */
  readonly url: string
  readonly contentType: string | undefined
  readonly body: Buffer | undefined
}

/**
 * Gathers the parameters of a token request from query and body, in any of the encodings; the body wins
 * (decisions.md, *Reading requests*). Others than the endpoint's are ignored, and empty ones count as absent (RFC 6749, 3.2).
 * @throws ClientError 400 when the body can not be read, 415 when it is none of the encodings.
 */
export function tokenParameters({ url, contentType, body }: TokenMessage): TokenParameters {
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
  return {
    ...known(new URLSearchParams(query)),
    ...(body && body.length > 0 ? bodyParameters(body, contentType ?? '') : {}),
  }
}

function bodyParameters(body: Buffer, contentType: string): TokenParameters {
  switch (contentType.split(';', 1)[0]?.trim().toLowerCase()) {
    case 'application/x-www-form-urlencoded':
      return known(new URLSearchParams(textOf(body)))
    case 'multipart/form-data':
      return known(multipartFields(body, contentType))
    case 'application/json':
      return known(jsonFields(textOf(body)))
    default:
      throw tokenError(
        415,
        'invalid_request',
        'The content type must be application/x-www-form-urlencoded, multipart/form-data or application/json.',
      )
  }
}

/** Drops a byte order mark, too. */
function textOf(body: Buffer): string {
  return new TextDecoder().decode(body)
}

function jsonFields(text: string): [name: string, value: unknown][] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalidRequest('The body is not valid JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidRequest('The body must be a JSON object.')
  return Object.entries(value)
}

function known(fields: Iterable<readonly [name: string, value: unknown]>): TokenParameters {
  const parameters: Partial<Record<TokenParameter, string>> = {}
  for (const [given, value] of fields) {
    const name = NAMES.find(candidate => candidate === given)
    if (name === undefined || value === null || value === '') continue
    if (typeof value !== 'string') throw invalidRequest(`${name} must be text.`)
    // RFC 6749, 3.2
    if (parameters[name] !== undefined) throw invalidRequest(`${name} must not be given more than once.`)
    parameters[name] = value
  }
  return parameters
}
