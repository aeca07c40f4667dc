import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../../../test/any-character.ts'
import { ClientError } from '../../model/errors.ts'
import { readTokenRequest, type TokenRequestMessage } from './token-request.ts'

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'
const PASSWORD_REQUEST = { grantType: 'password', email: 'e@x.de', password: 'pä ss+&=%' }
const FIELDS = { grant_type: 'password', username: 'e@x.de', password: 'pä ss+&=%', client_id: 'connectedCarApi' }

function read(message: Partial<Omit<TokenRequestMessage, 'body'>> & { body?: string | Buffer } = {}) {
  const { body, ...rest } = message
  return readTokenRequest({
    url: '/auth/token',
    contentType: undefined,
    authorization: undefined,
    ...rest,
    body: body === undefined ? undefined : Buffer.from(body),
  })
}

const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()

/** What a refused request is told. */
function refusal(message: Parameters<typeof read>[0]) {
  const error = thrownBy(() => read(message))
  if (!(error instanceof ClientError)) throw error ?? new Error('it was not refused')
  expect(error.extra.error_description).toBe(error.message)
  // The characters that RFC 6749, 5.2 allows.
  expect(error.message).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
  return { status: error.status, error: error.extra.error, message: error.message }
}

function thrownBy(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}

test('a urlencoded form', () => {
  expect(read({ contentType: FORM, body: form(FIELDS) })).toEqual(PASSWORD_REQUEST)
  expect(read({ contentType: `${FORM.toUpperCase()}; charset=UTF-8`, body: form(FIELDS) })).toEqual(PASSWORD_REQUEST)
})

test('multipart/form-data', async () => {
  const data = new FormData()
  for (const [name, value] of Object.entries(FIELDS)) data.append(name, value)
  const encoded = new Response(data)
  const body = Buffer.from(await encoded.arrayBuffer())
  expect(read({ contentType: encoded.headers.get('content-type') ?? '', body })).toEqual(PASSWORD_REQUEST)
})

test('JSON, with and without a byte order mark', () => {
  expect(read({ contentType: JSON_TYPE, body: JSON.stringify(FIELDS) })).toEqual(PASSWORD_REQUEST)
  expect(read({ contentType: JSON_TYPE, body: `\ufeff${JSON.stringify(FIELDS)}` })).toEqual(PASSWORD_REQUEST)
})

test('a query string, without a body or with an empty one of any type', () => {
  const url = `/auth/token?${form(FIELDS)}`
  expect(read({ url })).toEqual(PASSWORD_REQUEST)
  for (const contentType of [FORM, JSON_TYPE, 'text/plain', 'multipart/form-data; boundary=x'])
    expect(read({ url, contentType, body: '' })).toEqual(PASSWORD_REQUEST)
})

test('query and body mixed: the body wins, an empty value counts as absent', () => {
  const url = '/auth/token?grant_type=refresh_token&username=other@x.de&client_id=connectedCarApi'
  const { client_id: _, ...fields } = FIELDS
  expect(read({ url, contentType: FORM, body: form(fields) })).toEqual(PASSWORD_REQUEST)
  expect(read({ url: '/?username=e%40x.de', contentType: FORM, body: form({ ...FIELDS, username: '' }) })).toEqual(
    PASSWORD_REQUEST,
  )
})

test('a refresh request', () => {
  const body = form({ grant_type: 'refresh_token', refresh_token: 'abc' })
  expect(read({ contentType: FORM, body })).toEqual({ grantType: 'refresh_token', refreshToken: 'abc' })
})

test('blanks around the address are dropped, those of the password are kept', () => {
  const body = form({ ...FIELDS, username: ' e@x.de ', password: ' p ' })
  expect(read({ contentType: FORM, body })).toEqual({ grantType: 'password', email: 'e@x.de', password: ' p ' })
})

test('parameters of other names are ignored, also when repeated or of another type', () => {
  expect(read({ contentType: FORM, body: `${form(FIELDS)}&scope=a&scope=b&__proto__=x` })).toEqual(PASSWORD_REQUEST)
  expect(
    read({ contentType: JSON_TYPE, body: `{"scope":[1],"__proto__":{},${JSON.stringify(FIELDS).slice(1)}` }),
  ).toEqual(PASSWORD_REQUEST)
})

test('client_id may be missing, also null, but must not be another', () => {
  const { client_id: _, ...fields } = FIELDS
  expect(read({ contentType: FORM, body: form(fields) })).toEqual(PASSWORD_REQUEST)
  expect(read({ contentType: JSON_TYPE, body: JSON.stringify({ ...fields, client_id: null }) })).toEqual(
    PASSWORD_REQUEST,
  )
  expect(refusal({ contentType: FORM, body: form({ ...FIELDS, client_id: 'other' }) })).toEqual({
    status: 400,
    error: 'invalid_client',
    message: 'client_id must be connectedCarApi.',
  })
})

test('a client named in a Basic header: 401 with a challenge when it is another (RFC 6749, 5.2)', () => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  const request = { contentType: FORM, body: form(FIELDS) }
  expect(read({ ...request, authorization: basic('connectedCarApi:') })).toEqual(PASSWORD_REQUEST)
  expect(read({ ...request, authorization: 'Bearer whatever' })).toEqual(PASSWORD_REQUEST)
  expect(refusal({ ...request, authorization: basic('other:secret') })).toMatchObject({
    status: 401,
    error: 'invalid_client',
  })
})

test.each([
  [{}, 'invalid_request', /^grant_type is missing/],
  [{ url: '/auth/token?grant_type=' }, 'invalid_request', /^grant_type is missing/],
  [{ url: '/?grant_type=client_credentials' }, 'unsupported_grant_type', /^grant_type must be/],
  [{ url: '/?grant_type=Password' }, 'unsupported_grant_type', /^grant_type must be/],
  [{ url: '/?grant_type=password&password=x' }, 'invalid_request', /^username is missing/],
  [{ url: '/?grant_type=password&username=x' }, 'invalid_request', /^password is missing/],
  [{ url: '/?grant_type=refresh_token' }, 'invalid_request', /^refresh_token is missing/],
  [{ url: '/?grant_type=password&grant_type=password' }, 'invalid_request', /^grant_type must not be given more/],
  [{ contentType: JSON_TYPE, body: '{' }, 'invalid_request', /not valid JSON/],
  [{ contentType: JSON_TYPE, body: '[]' }, 'invalid_request', /JSON object/],
  [{ contentType: JSON_TYPE, body: 'null' }, 'invalid_request', /JSON object/],
  [{ contentType: JSON_TYPE, body: '"a"' }, 'invalid_request', /JSON object/],
  [{ contentType: JSON_TYPE, body: '{"password":1}' }, 'invalid_request', /^password must be text/],
  [{ contentType: 'multipart/form-data', body: 'x' }, 'invalid_request', /boundary/],
])('%j: 400 %s', (message, error, text) => {
  const told = refusal(message)
  expect(told).toMatchObject({ status: 400, error })
  expect(told.message).toMatch(text)
})

test.each(['text/plain', 'application/xml', '', undefined])('a body of type %s: 415', contentType => {
  expect(refusal({ contentType, body: form(FIELDS) })).toMatchObject({ status: 415, error: 'invalid_request' })
})

test('whatever comes is a request or a refusal', () => {
  const contentType = fc.oneof(
    fc.constantFrom(FORM, JSON_TYPE, 'multipart/form-data; boundary=XX', 'text/plain', undefined),
    fc.string(),
  )
  const body = fc.oneof(
    fc.uint8Array().map(bytes => Buffer.from(bytes)),
    fc.string(),
    fc.json(),
    multipartLike(),
  )
  const authorization = fc.option(
    fc.oneof(
      fc.string(),
      fc.base64String().map(text => `Basic ${text}`),
    ),
    { nil: undefined },
  )
  fc.assert(
    fc.property(queryLike(), contentType, body, authorization, (query, type, given, header) => {
      const message = { url: `/auth/token?${query}`, contentType: type, body: given, authorization: header }
      const error = thrownBy(() => read(message))
      const status = error instanceof ClientError ? error.status : error
      expect([undefined, 400, 401, 415]).toContain(status)
    }),
    { numRuns: 1000 },
  )
})

/** What may stand in a query: letters and signs as they are, and any character as its bytes. */
function queryLike() {
  const asItIs = fc.constantFrom(...Array.from("abcxyzABCXYZ0189-._~!$&'()*+,;=:@/?"))
  const inBytes = anyCharacter.map(encodeURIComponent)
  return fc.string({ unit: fc.oneof({ weight: 4, arbitrary: asItIs }, { weight: 1, arbitrary: inBytes }) })
}

/** Pieces of a multipart body in any order. */
function multipartLike() {
  const piece = fc.constantFrom('--XX', '--', '\r\n', 'Content-Disposition: form-data', '; name="grant_type"', 'v', ' ')
  return fc.array(piece, { maxLength: 20 }).map(pieces => pieces.join(''))
}
