import { gunzipSync } from 'node:zlib'
import fastify from 'fastify'
import { afterAll, expect, it } from 'vitest'
import { acceptsGzip, sendJsonList } from './reply.ts'

const LONG = Array.from({ length: 20_000 }, (_, index) => JSON.stringify({ index, text: 'Größe °' }))

const server = fastify()
server.get('/long', (_, reply) => sendJsonList(reply, '[', LONG, ']'))
server.get('/short', (_, reply) => sendJsonList(reply, '[', LONG.slice(0, 10), ']'))
server.get('/broken', (_, reply) => sendJsonList(reply, '[', broken(), ']'))
afterAll(() => server.close())

function* broken(): Generator<string> {
  yield* LONG
  throw new Error('the list ends here')
}

const get = (url: string, encoding?: string, method: 'GET' | 'HEAD' = 'GET') =>
  server.inject({ method, url, headers: encoding === undefined ? {} : { 'accept-encoding': encoding } })

it('long lists are the same, compressed, for clients that take gzip', async () => {
  const plain = await get('/long')
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(plain.json()).toHaveLength(LONG.length)
  const zipped = await get('/long', 'gzip, deflate, br')
  expect(zipped.headers['content-encoding']).toBe('gzip')
  expect(zipped.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5)
  expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body)
  for (const answer of [plain, zipped]) expect(answer.headers.vary).toBe('Accept-Encoding')
})

it('HEAD has the headers of GET and no body', async () => {
  const head = await get('/long', 'gzip', 'HEAD')
  expect(head.headers['content-encoding']).toBe('gzip')
  expect(head.rawPayload).toHaveLength(0)
})

it('short lists are as they are, whatever the client takes', async () => {
  const { headers, body } = await get('/short', 'gzip')
  expect(headers).not.toHaveProperty('content-encoding')
  expect(headers.vary).toBe('Accept-Encoding')
  expect(JSON.parse(body)).toHaveLength(10)
})

it('a list that breaks off is no complete reply', async () => {
  await expect(get('/broken', 'gzip')).rejects.toThrow('destroyed before completion')
})

it.each([
  ['gzip', true],
  ['br;q=1.0, GZIP;q=0.5', true],
  ['*', true],
  ['x-gzip', true],
  [undefined, false],
  ['', false],
  ['identity', false],
  ['br', false],
  ['gzip;q=0', false],
  ['gzip ; q=0.000, *', false],
  ['gzip;q=0.001', true],
])('Accept-Encoding %s: %s', (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected)
})
