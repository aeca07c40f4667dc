import * as fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { anyCharacter } from '../../../test/any-character.ts'
import { EMAIL, startTokenEndpoint } from '../../../test/token-endpoint.ts'
import { sql } from '../../db/sql.ts'

const endpoint = await startTokenEndpoint()

afterAll(() => endpoint.stop())

test('too large: 413, another type: 415, malformed: 400; each as OAuth clients and all others expect it', async () => {
  const json = { 'content-type': 'application/json' }
  const large = new FormData()
  large.append('password', 'x'.repeat(20_000))
  for (const [status, request] of [
    [413, { payload: JSON.stringify({ password: 'x'.repeat(20_000) }), headers: json }],
    [413, { payload: large }],
    [415, { payload: '<a/>', headers: { 'content-type': 'application/xml' } }],
    [415, { payload: 'grant_type=password', headers: { 'content-type': 'nonsense' } }],
    [400, { payload: '{"grant_type":', headers: json }],
    [400, { payload: '{}', headers: { ...json, 'content-length': '7' } }],
  ] as const) {
    const reply = await endpoint.post(request)
    expect(reply).toMatchObject({ status, body: { error: 'invalid_request' } })
    expect(reply.body.error_description).toBe(reply.body.errorMessage)
    expect(Object.keys(reply.body).sort()).toEqual(['error', 'errorMessage', 'error_description'])
    expect(reply.headers['cache-control']).toBe('no-store')
  }
})

test('whatever is sent, the answer is no 5xx and says what was wrong', async () => {
  const word = fc.oneof(fc.constantFrom('password', 'refresh_token', 'connectedCarApi', EMAIL, ''), fc.string())
  const name = fc.oneof(
    fc.constantFrom('grant_type', 'username', 'password', 'refresh_token', 'client_id'),
    fc.string(),
  )
  const pairs = fc.array(fc.tuple(name, word)).map(list => new URLSearchParams(list).toString())
  const payload = fc.oneof(
    pairs,
    fc.json(),
    fc.string({ unit: anyCharacter }),
    fc.dictionary(name, fc.oneof(word, fc.jsonValue())).map(fields => JSON.stringify(fields)),
  )
  const contentType = fc.oneof(
    fc.constantFrom(
      'application/x-www-form-urlencoded',
      'application/json',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
      'text/plain',
    ),
    fc.stringMatching(/^[!-~]{1,20}$/),
  )
  await fc.assert(
    fc.asyncProperty(pairs, payload, contentType, async (query, body, type) => {
      await endpoint.change(sql`delete from failed_logins`)
      const reply = await endpoint.post({
        url: `/auth/token?${query}`,
        payload: body,
        headers: { 'content-type': type },
      })
      expect(reply.status).toBeGreaterThanOrEqual(400)
      expect(reply.status).toBeLessThan(500)
      expect(reply.body.errorMessage).toMatch(/.\.$/)
    }),
    { numRuns: 300 },
  )
})
