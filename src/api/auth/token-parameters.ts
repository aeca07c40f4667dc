import { multipartFields } from './multipart-fields.ts'
import { invalidRequest, tokenError } from './token-error.ts'

/** The parameters that a request has, by name. */
export type TokenParameters<Name extends string> = Readonly<Partial<Record<Name, string>>>

/** The parts of a request that may hold the parameters of a token request. */
export interface TokenMessage {
  /** Path and query, not decoded. */
  readonly url: string
  readonly contentType: string | undefined
  readonly body: Buffer | undefined
}

/**
 * Gathers the parameters of a token request from query and body, in any of the encodings; the body wins
 * (decisions.md, *Reading requests*). Unknown parameters are ignored, and empty ones count as absent (RFC 6749, 3.2).
 * @param names those of the endpoint
 * @throws ClientError 400 when the body can not be read, 415 when its encoding is not supported.
 */
export function tokenParameters<Name extends string>(
  names: readonly Name[],
  { url, contentType, body }: TokenMessage,
): TokenParameters<Name> {
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
  return {
    ...known(names, new URLSearchParams(query)),
    ...(body && body.length > 0 ? known(names, bodyFields(body, contentType ?? '')) : {}),
  }
}

function bodyFields(body: Buffer, contentType: string): Iterable<readonly [name: string, value: unknown]> {
  switch (contentType.split(';', 1)[0]?.trim().toLowerCase()) {
    case 'application/x-www-form-urlencoded':
      return new URLSearchParams(textOf(body))
    case 'multipart/form-data':
      return multipartFields(body, contentType)
    case 'application/json':
      return jsonFields(textOf(body))
    default:
      throw tokenError(
        415,
        'invalid_request',
        'The content type must be application/x-www-form-urlencoded, multipart/form-data or application/json.',
      )
  }
}

/** Also drops a byte order mark. */
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

function known<Name extends string>(
  names: readonly Name[],
  fields: Iterable<readonly [name: string, value: unknown]>,
): TokenParameters<Name> {
  const parameters: Partial<Record<Name, string>> = {}
  for (const [given, value] of fields) {
    const name = names.find(candidate => candidate === given)
    if (name === undefined || value === null || value === '') continue
    if (typeof value !== 'string') throw invalidRequest(`${name} must be text.`)
    // RFC 6749, 3.2
    if (parameters[name] !== undefined) throw invalidRequest(`${name} must not be given more than once.`)
    parameters[name] = value
  }
  return parameters
}
