import { textOfBody } from '../../lib/text-of-bytes.ts'
import { ClientError } from '../../model/errors.ts'

/** The application id of the contract (fleet-api-v2.md, *Authentication*). */
export const CLIENT_ID = 'connectedCarApi'

const NAMES = ['grant_type', 'username', 'password', 'refresh_token', 'client_id', 'rotate_refresh_tokens'] as const

type RequestParameter = (typeof NAMES)[number]

export type TokenRequest = (
  | { readonly grantType: 'password'; readonly email: string; readonly password: string }
  | { readonly grantType: 'refresh_token'; readonly refreshToken: string }
) & {
  /** The client asks that each refresh token of this login is used once (beyond the contract). */
  readonly rotates?: boolean | undefined
}

export interface TokenRequestMessage extends TokenMessage {
  readonly authorization: string | undefined
}

/** Reads a token request (fleet-api-v2.md, *Authentication*). @throws ClientError with the code of RFC 6749, 5.2 */
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

function required(parameters: TokenParameters<RequestParameter>, name: RequestParameter): string {
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

type TokenParameters<Name extends string> = Readonly<Partial<Record<Name, string>>>

/** The parts of a request that may hold the parameters of a token request. */
interface TokenMessage {
  readonly url: string
  readonly contentType: string | undefined
  readonly body: Buffer | undefined
}

/** Query and body in any of the encodings; the body wins (decisions.md, *Reading requests*). Unknown parameters are
 * ignored, and empty ones count as absent (RFC 6749, 3.2). */
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
      return new URLSearchParams(textOfBody(body))
    case 'multipart/form-data':
      return multipartFields(body, contentType)
    case 'application/json':
      return jsonFields(textOfBody(body))
    default:
      throw tokenError(
        415,
        'invalid_request',
        'The content type must be application/x-www-form-urlencoded, multipart/form-data or application/json.',
      )
  }
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

/** Text fields of multipart/form-data (RFC 7578) in memory, so that the usual body limit applies; streaming parsers
 * read past it. @throws ClientError 400 when it is truncated, has no boundary, or contains a file */
export function multipartFields(body: Buffer, contentType: string): [name: string, value: string][] {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw invalidRequest('The content type multipart/form-data must name its boundary.')
  // One character per byte, so that nothing is lost before the bytes of a field are decoded.
  const [, ...parts] = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`)
  const end = parts.findIndex(part => part.startsWith('--'))
  if (end === -1) throw invalidRequest('The multipart body is cut off: its closing boundary is missing.')
  return parts.slice(0, end).map(readPart)
}

function readPart(part: string): [name: string, value: string] {
  // RFC 2046, 5.1.1: blanks may follow the boundary on its line.
  const [, headers = '', value = ''] = /^[ \t]*\r\n((?:[^\r\n]+\r\n)*)\r\n([^]*)$/.exec(part) ?? []
  // A line that starts with a blank goes on with the header before it.
  const lines = headers.replaceAll(/\r\n[ \t]/g, ' ').split('\r\n')
  const disposition = lines.flatMap(line => DISPOSITION.exec(line)?.[1] ?? [])[0]
  const name = disposition === undefined ? undefined : parameterOf(disposition, NAME)
  if (disposition === undefined || name === undefined)
    throw invalidRequest('Each part of the multipart body must have a Content-Disposition with a name.')
  if (parameterOf(disposition, FILE_NAME) !== undefined)
    throw invalidRequest(`${fieldOf(name)} must be text, not a file.`)
  return [name, Buffer.from(value, 'latin1').toString('utf8')]
}

const DISPOSITION = /^content-disposition:[ \t]*form-data(.*)$/i
const NAME = /;\s*name=(?:"([^"]*)"|([^\s;"]+))/i
const FILE_NAME = /;\s*filename=(?:"([^"]*)"|([^\s;"]+))/i

/** Some clients (.NET) write names without quotes. */
function parameterOf(disposition: string, parameter: RegExp): string | undefined {
  const [, quoted, plain] = parameter.exec(disposition) ?? []
  return quoted ?? plain
}

/** Repeats a name in an error message only if it could be one of ours; otherwise it may be anything. */
function fieldOf(name: string): string {
  return /^[a-z_]{1,20}$/.test(name) ? name : 'Each field'
}

/** RFC 6749, 5.2, and `temporarily_unavailable` from 4.1.2.1 for transient errors. */
type TokenErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'temporarily_unavailable'

/** An error of the token endpoint: `errorMessage` as everywhere, plus the fields that OAuth clients expect. */
export function tokenError(
  status: number,
  code: TokenErrorCode,
  message: string,
  { headers = {}, cause }: { headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
): ClientError {
  return new ClientError(status, message, {
    headers: { ...headers },
    extra: { error: code, error_description: message },
    cause,
  })
}

export const invalidRequest = (message: string) => tokenError(400, 'invalid_request', message)
